/* Why a shim: getopt_long is not part of the Glibc module, and its results are C globals, which Swift refuses to touch. */
#ifndef ACCORDION_CGETOPT_SHIM_H
#define ACCORDION_CGETOPT_SHIM_H
#include <getopt.h>
#include <stddef.h>

/* The whole state of getopt is process-wide: the caller holds one lock from cg_begin to its last cg_next. */
static inline void cg_begin(void) { optind = 0; opterr = 0; optarg = NULL; optopt = 0; }
static inline int cg_next(int argc, char *const *argv, const char *shorts, const struct option *longs) {
  optarg = NULL;
  optopt = 0;
  return getopt_long(argc, argv, shorts, longs, NULL);
}
static inline const char *cg_value(void) { return optarg; }
static inline int cg_index(void) { return optind; }
static inline int cg_faulty(void) { return optopt; }
#endif
