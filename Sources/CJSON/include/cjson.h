// The C face of simdjson's DOM parser: one line in, one flat array of nodes in document order out. It exists because
// Swift sees no C++ here, and because a flat array can be walked without a call, a recursion or an allocation a member.
#ifndef ACCORDION_CJSON_H
#define ACCORDION_CJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cjson_kind {
    CJSON_OBJECT,
    CJSON_ARRAY,
    CJSON_STRING,
    CJSON_KEY,
    CJSON_INTEGER,
    // A fraction, an exponent, or an integer beyond int64_t: only known to be a number, its value is not kept.
    CJSON_NUMBER,
    CJSON_TRUE,
    CJSON_FALSE,
    CJSON_NULL
};

// value: an integer, the address of a string's or key's bytes, or how many members or elements a container has.
// extent: the bytes of a string or key; of a container the index behind its last node. A key's value follows it.
struct cjson_node {
    uint64_t value;
    uint32_t extent;
    uint32_t kind;
};

enum cjson_status {
    CJSON_READ,
    // No JSON within the limits (or a number that simdjson cannot hold): why and where is not told.
    CJSON_REFUSED,
    // Read, but a name stands twice in one object: cjson_repeated tells it.
    CJSON_REPEATED,
    CJSON_NO_MEMORY
};

struct cjson_parser;

// Containers inside one another, the outermost counted.
enum { CJSON_DEPTH_MAX = 40 };

// NULL if there is no memory.
struct cjson_parser *_Nullable cjson_create(void);
void cjson_destroy(struct cjson_parser *_Nonnull parser);

// Copies the line into the parser's padded buffer. False if there is no memory for it or it is over 2 GiB.
bool cjson_load(struct cjson_parser *_Nonnull parser, const uint8_t *_Nullable line, size_t length);
// Overwrites a number of at least three bytes in the loaded line by a small one that is no integer.
void cjson_mask_number(struct cjson_parser *_Nonnull parser, size_t offset, size_t length);
enum cjson_status cjson_parse(struct cjson_parser *_Nonnull parser);

// Valid after CJSON_READ or CJSON_REPEATED, until the next load, parse or rest.
const struct cjson_node *_Nonnull cjson_nodes(const struct cjson_parser *_Nonnull parser);
// The key that is, in document order, the first to repeat one before it in its object.
struct cjson_node cjson_repeated(const struct cjson_parser *_Nonnull parser);

// Gives back what a long line made the parser hold.
void cjson_rest(struct cjson_parser *_Nonnull parser);
// Bytes that the parser holds.
size_t cjson_held_bytes(const struct cjson_parser *_Nonnull parser);

#ifdef __cplusplus
}
#endif
#endif
