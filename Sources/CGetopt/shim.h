/* Why a shim: getopt_long is not part of the Glibc module, and its results are C globals. */
#ifndef ACCORDION_CGETOPT_SHIM_H
#define ACCORDION_CGETOPT_SHIM_H
#include <getopt.h>
#endif
