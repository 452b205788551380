/* Why a shim: the wide-character functions need a define before the header, and C macros and globals are not imported. */
#ifndef ACCORDION_CNCURSES_SHIM_H
#define ACCORDION_CNCURSES_SHIM_H
#define NCURSES_WIDECHAR 1
#include <locale.h>
#include <wchar.h>
#include <curses.h>
#endif
