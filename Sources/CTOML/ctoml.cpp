// Why this file exists: see ctoml.h. No exception leaves it. toml++ asserts things of its input which do not always hold (a
// line of brackets, say): here that is one more reason to refuse it.

#include <stdexcept>

#define TOML_EXCEPTIONS 1
#define TOML_HEADER_ONLY 1
#define TOML_ASSERT(condition) \
    do { \
        if (!(condition)) throw std::runtime_error("this is no TOML"); \
    } while (false)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Weverything"
#include <toml++/toml.h>
#pragma GCC diagnostic pop

#include "ctoml.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace {

struct Walk {
    ctoml_visitor visitor;
    void *context;

    void tell(ctoml_kind kind, const std::string &key, const std::string &text, int64_t number,
              const toml::source_region &place) const {
        visitor(context, kind, key.c_str(), text.c_str(), text.size(), number, place.begin.line, place.begin.column);
    }

    // toml++ refuses what is nested deeper than 256, so this is no deeper either.
    void visit(const std::string &key, const toml::node &node) const {
        if (const toml::table *table = node.as_table()) {
            if (!key.empty()) tell(CTOML_TABLE, key, "", 0, node.source());
            std::vector<std::pair<toml::source_position, std::string>> order;
            for (auto &&[name, value] : *table) order.emplace_back(name.source().begin, std::string(name.str()));
            std::sort(order.begin(), order.end(), [](auto &one, auto &other) { return one.first < other.first; });
            for (auto &&[place, name] : order) {
                bool is_plain = !name.empty() && name.find_first_of(".\"[]") == std::string::npos;
                std::string part = is_plain ? name : "\"" + name + "\"";
                visit(key.empty() ? part : key + "." + part, *table->get(name));
            }
            return;
        }
        if (const toml::array *array = node.as_array()) {
            tell(CTOML_ARRAY, key, "", static_cast<int64_t>(array->size()), node.source());
            size_t place = 0;
            for (auto &&element : *array) visit(key + "[" + std::to_string(place++) + "]", element);
            return;
        }
        if (auto text = node.as_string()) return tell(CTOML_STRING, key, text->get(), 0, node.source());
        if (auto number = node.as_integer()) return tell(CTOML_INTEGER, key, "", number->get(), node.source());
        if (auto flag = node.as_boolean()) return tell(CTOML_BOOLEAN, key, "", flag->get() ? 1 : 0, node.source());
        tell(CTOML_OTHER, key, "", 0, node.source());
    }
};

}  // namespace

static int refuse(std::string_view words, char *reason, size_t reason_size) {
    size_t count = std::min(words.size(), reason_size > 0 ? reason_size - 1 : 0);
    std::memcpy(reason, words.data(), count);
    if (reason_size > 0) reason[count] = 0;
    return -1;
}

extern "C" int ctoml_parse(const char *text, size_t length, ctoml_visitor visitor, void *context, char *reason,
                           size_t reason_size, uint32_t *line, uint32_t *column) {
    *line = 1;
    *column = 1;
    try {
        toml::table table = toml::parse(std::string_view(text, length));
        Walk{visitor, context}.visit("", table);
        return 0;
    } catch (const toml::parse_error &error) {
        *line = error.source().begin.line;
        *column = error.source().begin.column;
        return refuse(error.description(), reason, reason_size);
    } catch (const std::exception &error) {
        return refuse(error.what(), reason, reason_size);
    }
}
