/* Why a shim: the library's headers alone make no module, and the options of its reader are an enumeration whose values
   are to be combined. */
#ifndef ACCORDION_CXML_SHIM_H
#define ACCORDION_CXML_SHIM_H
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlreader.h>

/* A reader of a text in memory that stays where it is until the reader is freed. Nothing is fetched, no entity is put in
   place, nothing is printed. Texts may be longer than the ten million bytes that the library allows otherwise: the file
   bounds them. */
static inline xmlTextReaderPtr cx_reader(const char *text, int bytes) {
  return xmlReaderForMemory(
      text, bytes, NULL, NULL,
      XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_HUGE | XML_PARSE_BIG_LINES);
}
#endif
