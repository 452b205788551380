/* Why a shim: the library's headers alone make no module; and what a text defines as a link ("[name]: address") is known to
   nobody once the tree stands, so that a definition that no link uses would vanish unseen. While the last step of parsing
   runs the definitions are still there: an extension of ours that looks at that moment tells of each. For that the parser's
   own structure is read, which Debian's package has in its headers; the library's name holds its exact version, so what was
   compiled against is what runs. */
#ifndef ACCORDION_CMARKDOWN_SHIM_H
#define ACCORDION_CMARKDOWN_SHIM_H
#include <stdlib.h>
#include <cmark-gfm.h>
#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm/parser.h>
#include <cmark-gfm/references.h>

/* A definition: label and address and title, each with its length in bytes. */
typedef void (*cm_definition)(
    void *context, const unsigned char *label, const unsigned char *address, int address_bytes,
    const unsigned char *title, int title_bytes);
struct cm_listener { cm_definition tell; void *context; };

static inline cmark_node *cm_tell_definitions(cmark_syntax_extension *extension, cmark_parser *parser, cmark_node *root) {
  const struct cm_listener *listener = (const struct cm_listener *)cmark_syntax_extension_get_private(extension);
  (void)root;
  for (cmark_map_entry *entry = parser->refmap ? parser->refmap->refs : NULL; entry; entry = entry->next) {
    const cmark_reference *reference = (const cmark_reference *)entry;
    listener->tell(
        listener->context, entry->label, reference->url.data, reference->url.len, reference->title.data,
        reference->title.len);
  }
  return NULL;
}

/* The tree of a text, the caller's to free; tables are the one extension that is read. */
static inline cmark_node *cm_parse(const char *text, size_t bytes, cm_definition tell, void *context) {
  struct cm_listener listener = {tell, context};
  cmark_gfm_core_extensions_ensure_registered();
  cmark_parser *parser = cmark_parser_new(CMARK_OPT_DEFAULT);
  cmark_syntax_extension *listening = cmark_syntax_extension_new("accordion-definitions");
  cmark_syntax_extension_set_private(listening, &listener, NULL);
  cmark_syntax_extension_set_postprocess_func(listening, cm_tell_definitions);
  cmark_syntax_extension *tables = cmark_find_syntax_extension("table");
  if (tables) cmark_parser_attach_syntax_extension(parser, tables);
  cmark_parser_attach_syntax_extension(parser, listening);
  cmark_parser_feed(parser, text, bytes);
  cmark_node *root = cmark_parser_finish(parser);
  cmark_parser_free(parser);
  cmark_syntax_extension_free(cmark_get_default_mem_allocator(), listening);
  return root;
}
#endif
