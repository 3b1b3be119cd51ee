/*
 * csv.h - cells of a CSV file.
 *
 * Source  RFC 4180: a cell with a comma, a quote or a line break stands in quotes, quotes in it are
 * doubled; ../shared/spec/api.md: text a spreadsheet would take for a formula gets a ' in front.
 * Use     csv_* for each cell, csv_end for the line (CRLF). A null is an empty cell.
 * Errors  kept in the buffer. Threads none.
 */
#ifndef SERVER_API_CSV_H
#define SERVER_API_CSV_H

#include "engine/base/buf.h"

struct csv {
    struct buf *to; /* borrowed */
    bool need_comma;
};

void csv_text(struct csv *c, const char *text);
void csv_int(struct csv *c, int64_t value);
void csv_double(struct csv *c, double value);
void csv_null(struct csv *c);
void csv_end(struct csv *c);

#endif
