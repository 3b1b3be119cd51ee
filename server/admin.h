/*
 * admin.h - the commands of drop7d that are done in one go: migrate, token, game void, verify,
 * backup.
 *
 * Errors  printed as one line on stderr. Each returns the exit status: 0, 1 (could not, or games
 * differ), 2 (bad command line).
 */
#ifndef SERVER_ADMIN_H
#define SERVER_ADMIN_H

/* argv[0] is the command's name; options may stand before and behind its words. */
int admin_migrate(int argc, char **argv);
int admin_token(int argc, char **argv);
int admin_game(int argc, char **argv);
int admin_verify(int argc, char **argv);
int admin_backup(int argc, char **argv);

#endif
