// simdjson's tape (its format is documented as doc/tape.md there) made into plain nodes. On the way two things are
// found that simdjson lets pass: names that repeat, and a NUL in a string. Nothing here recurses and nothing throws;
// memory is bounded by the line, and given back by cjson_rest.
#define SIMDJSON_EXCEPTIONS 0
#include "cjson.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

using simdjson::internal::tape_type;

// What is kept between lines: buffers for a line of this length, and nodes and keys enough for most of them.
constexpr size_t kept_line_bytes = 128 * 1024;
constexpr size_t first_line_bytes = 4 * 1024;
constexpr size_t kept_nodes = 32 * 1024;
constexpr size_t line_bytes_max = size_t(1) << 31;
// Up to so many keys are compared each with each; more are sorted, so no choice of keys makes it quadratic.
constexpr uint64_t pairwise_keys_max = 12;

// An array of plain values that grows by doubling and reports failure instead of throwing.
template <typename T> struct buffer {
    T *items = nullptr;
    size_t capacity = 0;

    buffer() = default;
    buffer(const buffer &) = delete;
    buffer &operator=(const buffer &) = delete;
    ~buffer() { std::free(items); }

    bool reserve(size_t count) noexcept {
        if (count <= capacity) return true;
        const size_t wanted = std::max(count, capacity * 2);
        void *grown = std::realloc(static_cast<void *>(items), wanted * sizeof(T));
        if (!grown) return false;
        items = static_cast<T *>(grown);
        capacity = wanted;
        return true;
    }
    void release_over(size_t count) noexcept {
        if (capacity <= count) return;
        std::free(items);
        items = nullptr;
        capacity = 0;
    }
};

struct key_reference {
    const char *bytes;
    uint32_t length;
    uint32_t node;
};

// A container that is being read.
struct level {
    uint32_t node;
    uint32_t count;
    bool is_object;
    bool wants_key;

    // A value or a key begins in it: counts members or elements, and tells whether this is a key.
    bool begin_item() noexcept {
        const bool is_key = is_object && wants_key;
        wants_key = !wants_key;
        if (is_key || !is_object) count++;
        return is_key;
    }
};

constexpr uint32_t no_node = UINT32_MAX;

const char *bytes_of(const cjson_node &node) noexcept {
    return reinterpret_cast<const char *>(static_cast<uintptr_t>(node.value));
}

uint32_t index_behind(const cjson_node *nodes, uint32_t index) noexcept {
    return nodes[index].kind <= CJSON_ARRAY ? nodes[index].extent : index + 1;
}

} // namespace

struct cjson_parser {
    simdjson::dom::parser parser;
    simdjson::dom::document document;
    size_t line_capacity = 0;
    buffer<uint8_t> line;
    size_t line_length = 0;
    buffer<cjson_node> nodes;
    uint32_t node_count = 0;
    buffer<key_reference> keys;
    uint32_t repeated = no_node;

    bool prepare(size_t length) noexcept;
    cjson_status flatten() noexcept;
    bool push(uint32_t kind, uint64_t value, uint32_t extent) noexcept;
    bool find_repeated(uint32_t object) noexcept;
    bool find_repeated_by_sorting(uint32_t object) noexcept;
};

// Room for a line of that length in every buffer whose size follows the line's.
bool cjson_parser::prepare(size_t length) noexcept {
    if (line_capacity != 0 && length <= line_capacity) return true;
    size_t wanted = first_line_bytes;
    while (wanted < length) wanted *= 2;
    line_capacity = 0;
    if (!line.reserve(wanted + simdjson::SIMDJSON_PADDING)) return false;
    if (document.allocate(wanted) != simdjson::SUCCESS) return false;
    // simdjson counts a container only if it is not empty, and refuses when the count reaches its limit: one more than
    // ours lets every depth pass that we accept; flatten refuses an empty container beyond.
    if (parser.allocate(wanted, CJSON_DEPTH_MAX + 1) != simdjson::SUCCESS) return false;
    line_capacity = wanted;
    return true;
}

bool cjson_parser::push(uint32_t kind, uint64_t value, uint32_t extent) noexcept {
    if (node_count == nodes.capacity && !nodes.reserve(size_t(node_count) + 256)) return false;
    nodes.items[node_count++] = cjson_node{value, extent, kind};
    return true;
}

cjson_status cjson_parser::flatten() noexcept {
    const uint64_t *tape = document.tape.get();
    const size_t end = size_t(tape[0] & simdjson::internal::JSON_VALUE_MASK) - 1;
    // An unescaped NUL never passes simdjson, so only a line with an escape can hold one.
    const bool may_hold_nul = std::memchr(line.items, '\\', line_length) != nullptr;
    level levels[CJSON_DEPTH_MAX];
    size_t depth = 0;
    for (size_t i = 1; i < end; i++) {
        const uint64_t word = tape[i];
        const auto type = static_cast<tape_type>(word >> 56);
        level *inside = depth ? &levels[depth - 1] : nullptr;
        const bool ends = type == tape_type::END_OBJECT || type == tape_type::END_ARRAY;
        const bool is_key = inside && !ends && inside->begin_item();
        bool pushed = true;
        switch (type) {
        case tape_type::START_OBJECT:
        case tape_type::START_ARRAY: {
            if (depth == CJSON_DEPTH_MAX) return CJSON_REFUSED;
            const bool is_object = type == tape_type::START_OBJECT;
            levels[depth++] = level{node_count, 0, is_object, true};
            pushed = push(is_object ? CJSON_OBJECT : CJSON_ARRAY, 0, 0);
            break;
        }
        case tape_type::END_OBJECT:
        case tape_type::END_ARRAY: {
            cjson_node &opened = nodes.items[inside->node];
            opened.value = inside->count;
            opened.extent = node_count;
            if (inside->is_object && inside->count > 1 && !find_repeated(inside->node)) return CJSON_NO_MEMORY;
            depth--;
            break;
        }
        case tape_type::STRING: {
            const uint8_t *text = document.string_buf.get() + size_t(word & simdjson::internal::JSON_VALUE_MASK);
            uint32_t length;
            std::memcpy(&length, text, sizeof length);
            text += sizeof length;
            if (may_hold_nul && std::memchr(text, 0, length)) return CJSON_REFUSED;
            pushed = push(is_key ? CJSON_KEY : CJSON_STRING, reinterpret_cast<uintptr_t>(text), length);
            break;
        }
        case tape_type::INT64: pushed = push(CJSON_INTEGER, tape[++i], 0); break;
        case tape_type::TRUE_VALUE: pushed = push(CJSON_TRUE, 0, 0); break;
        case tape_type::FALSE_VALUE: pushed = push(CJSON_FALSE, 0, 0); break;
        case tape_type::NULL_VALUE: pushed = push(CJSON_NULL, 0, 0); break;
        case tape_type::UINT64:
        case tape_type::DOUBLE:
            i++;
            pushed = push(CJSON_NUMBER, 0, 0);
            break;
        case tape_type::ROOT: return CJSON_REFUSED;
        }
        if (!pushed) return CJSON_NO_MEMORY;
    }
    return repeated == no_node ? CJSON_READ : CJSON_REPEATED;
}

// Looks at the members of one object and keeps the first repetition of the whole line. False if memory ran out.
bool cjson_parser::find_repeated(uint32_t object) noexcept {
    const cjson_node *all = nodes.items;
    const uint64_t count = all[object].value;
    if (count > pairwise_keys_max) return find_repeated_by_sorting(object);
    uint32_t seen[pairwise_keys_max];
    uint32_t key = object + 1;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            const cjson_node &former = all[seen[j]];
            if (former.extent != all[key].extent) continue;
            if (std::memcmp(bytes_of(former), bytes_of(all[key]), former.extent) != 0) continue;
            repeated = std::min(repeated, key);
            return true;
        }
        seen[i] = key;
        key = index_behind(all, key + 1);
    }
    return true;
}

bool cjson_parser::find_repeated_by_sorting(uint32_t object) noexcept {
    const cjson_node *all = nodes.items;
    const size_t count = size_t(all[object].value);
    if (!keys.reserve(count)) return false;
    uint32_t key = object + 1;
    for (size_t i = 0; i < count; i++) {
        keys.items[i] = key_reference{bytes_of(all[key]), all[key].extent, key};
        key = index_behind(all, key + 1);
    }
    std::sort(keys.items, keys.items + count, [](const key_reference &a, const key_reference &b) noexcept {
        if (a.length != b.length) return a.length < b.length;
        const int order = std::memcmp(a.bytes, b.bytes, a.length);
        return order != 0 ? order < 0 : a.node < b.node;
    });
    for (size_t i = 1; i < count; i++) {
        const key_reference &former = keys.items[i - 1], &latter = keys.items[i];
        if (former.length == latter.length && std::memcmp(former.bytes, latter.bytes, former.length) == 0)
            repeated = std::min(repeated, latter.node);
    }
    return true;
}

cjson_parser *cjson_create(void) {
    return new (std::nothrow) cjson_parser();
}

void cjson_destroy(cjson_parser *parser) {
    delete parser;
}

bool cjson_load(cjson_parser *parser, const uint8_t *line, size_t length) {
    if (length > line_bytes_max || !parser->prepare(length)) return false;
    if (length) std::memcpy(parser->line.items, line, length);
    std::memset(parser->line.items + length, ' ', simdjson::SIMDJSON_PADDING);
    parser->line_length = length;
    return true;
}

void cjson_mask_number(cjson_parser *parser, size_t offset, size_t length) {
    if (offset > parser->line_length || length > parser->line_length - offset || length < 3) return;
    uint8_t *number = parser->line.items + offset;
    std::memset(number, ' ', length);
    std::memcpy(number, "1.5", 3);
}

cjson_status cjson_parse(cjson_parser *parser) {
    parser->node_count = 0;
    parser->repeated = no_node;
    if (parser->line_capacity == 0) return CJSON_REFUSED;
    const auto error =
        parser->parser
            .parse_into_document(parser->document, parser->line.items, parser->line_length, false)
            .error();
    if (error == simdjson::MEMALLOC) return CJSON_NO_MEMORY;
    return error ? CJSON_REFUSED : parser->flatten();
}

const cjson_node *cjson_nodes(const cjson_parser *parser) {
    return parser->nodes.items;
}

cjson_node cjson_repeated(const cjson_parser *parser) {
    return parser->nodes.items[parser->repeated];
}

void cjson_rest(cjson_parser *parser) {
    parser->nodes.release_over(kept_nodes);
    parser->keys.release_over(kept_nodes);
    if (parser->line_capacity <= kept_line_bytes) return;
    parser->line_capacity = 0;
    parser->line_length = 0;
    parser->line.release_over(0);
    parser->document = simdjson::dom::document();
    parser->parser = simdjson::dom::parser();
}

size_t cjson_held_bytes(const cjson_parser *parser) {
    // By simdjson's own allocation: eight bytes of tape, four of index and 5/3 of text for a byte of the line.
    return sizeof(cjson_parser) + parser->line_capacity * 14 + parser->line.capacity +
           parser->nodes.capacity * sizeof(cjson_node) + parser->keys.capacity * sizeof(key_reference);
}
