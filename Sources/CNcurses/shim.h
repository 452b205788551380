/* Why a shim: the wide-character library needs a define before the header, and C macros, unions and variadic functions
   (stdscr, struct sigaction's handler, tiparm) are not imported. */
#ifndef ACCORDION_CNCURSES_SHIM_H
#define ACCORDION_CNCURSES_SHIM_H
#define NCURSES_WIDECHAR 1
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <wchar.h>
#include <curses.h>

/* A capability's string, or NULL where the terminal lacks it. It lives as long as the terminal is current. */
static inline const char *cn_string(const char *name) {
  char *value = tigetstr(name);
  return value == (char *)-1 ? NULL : value;
}
/* The result is overwritten by the next call. */
static inline const char *cn_with(const char *format, int first, int second) { return tiparm(format, first, second); }

/* Whether a screen is open: ncurses serves one at a time. */
static inline int cn_is_open(void) { return stdscr != NULL; }
/* The window that is never drawn in. */
static inline WINDOW *cn_standard(void) { return stdscr; }

typedef void (*cn_handler)(int, siginfo_t *, void *);
static inline void cn_set_handler(struct sigaction *action, cn_handler handler) {
  action->sa_sigaction = handler;
  action->sa_flags = SA_SIGINFO | SA_ONSTACK;
}
static inline int cn_has_handler(const struct sigaction *action, cn_handler handler) {
  return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == handler;
}
static inline int cn_is_default(const struct sigaction *action) {
  return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}
#endif
