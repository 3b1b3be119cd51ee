/*
 * schema.h - JSON documents held against JSON schemas: the subset that openapi.json uses.
 *
 * Why     a schema that says less than its reader thinks is worse than none, so a keyword that is
 * not known here fails, and so does a member of an object that its schema does not name (clients
 * must take those; our own document must know them).
 * Subset  type, properties, required, additionalProperties, items, minItems, maxItems, enum, const,
 * pattern (POSIX extended), minLength, maxLength, minimum, maximum, $ref within the document,
 * oneOf, anyOf; title, description, format, default and examples are words.
 * Owns    schema_load gives a document; values are borrowed from it.
 * Threads none.
 */
#ifndef TESTS_SUPPORT_SCHEMA_H
#define TESTS_SUPPORT_SCHEMA_H

#include "engine/base/buf.h"

struct json_t; /* jansson's */

/* NULL when it is no JSON, or has a key twice; why says where. Free with schema_free. */
struct json_t *schema_load(struct span text, struct buf *why);
void schema_free(struct json_t *document);
/* The value of "#/a/b"; NULL when there is none. */
const struct json_t *schema_resolve(const struct json_t *document, const char *reference);
/* Follows $ref where v is one; NULL where that leads nowhere. */
const struct json_t *schema_deref(const struct json_t *document, const struct json_t *v);
/* Elements of an array; 0 when it is none. */
size_t schema_length(const struct json_t *v);
/* Does the value fit? why (may be NULL) gets the first place where not. */
bool schema_fits(const struct json_t *document, const struct json_t *schema,
                 const struct json_t *value, struct buf *why);
/* The same for a text of JSON. */
bool schema_fits_text(const struct json_t *document, const struct json_t *schema, struct span value,
                      struct buf *why);

#endif
