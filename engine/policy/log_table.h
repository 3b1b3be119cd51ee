/*
 * log_table.h - natural logarithms of 1-401, bit for bit those the reference's games were played
 * with.
 *
 * Source  ../shared/spec/policies.md, section 12, and log-table.tsv beside it: of eleven of them
 * the correctly rounded value differs in the last bit, so no C library's log() will do. Threads
 * constant data.
 */
#ifndef ENGINE_POLICY_LOG_TABLE_H
#define ENGINE_POLICY_LOG_TABLE_H

#define LOG_TABLE_MAX 401u

/* log_table[n] is log(n); [0] is not meant to be read. */
extern const double log_table[LOG_TABLE_MAX + 1];

#endif
