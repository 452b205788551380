/* Why this file exists: toml++ is C++, and Swift speaks C. A file becomes a list of its values, each with its whole key and
   where it stands; what they mean is Configuration's business. */
#ifndef CTOML_H
#define CTOML_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a value is. Tables and arrays are told before what is in them. */
enum ctoml_kind { CTOML_TABLE, CTOML_ARRAY, CTOML_STRING, CTOML_INTEGER, CTOML_BOOLEAN, CTOML_OTHER };

/* `key` is the keys from the top joined by dots, `[N]` behind one for an element of an array, a key that holds a dot or a
   quote in quotes. `text` is a string's, of `length` bytes; `number` an integer's or a boolean's value. Lines and columns
   count from 1. All of it belongs to the call. */
typedef void (*ctoml_visitor)(void *context, enum ctoml_kind kind, const char *key, const char *text, size_t length,
                              int64_t number, uint32_t line, uint32_t column);

/* Calls `visitor` for every value in the order of the file, or returns -1 with what is wrong in `reason` (cut at its size) and
   where. 0 otherwise. */
int ctoml_parse(const char *text, size_t length, ctoml_visitor visitor, void *context, char *reason, size_t reason_size,
                uint32_t *line, uint32_t *column);

#ifdef __cplusplus
}
#endif

#endif
