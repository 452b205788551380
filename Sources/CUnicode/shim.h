/* Why a shim: utf8proc's header alone makes no module, and its results are freed by the C library. */
#ifndef ACCORDION_CUNICODE_SHIM_H
#define ACCORDION_CUNICODE_SHIM_H
#include <utf8proc.h>
#include <stdlib.h>
#include <string.h>
#endif
