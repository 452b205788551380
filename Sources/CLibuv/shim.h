/* Why a shim: upcasts of handles and requests, which Swift can only express as unchecked casts, are typed here. */
#ifndef ACCORDION_CLIBUV_SHIM_H
#define ACCORDION_CLIBUV_SHIM_H
#include <uv.h>
#endif
