/* Why a shim: the number of the first descriptor that is handed over is a macro, and the test for a listening stream takes
   constants that Swift imports as enumerations. */
#ifndef ACCORDION_CSYSTEMD_SHIM_H
#define ACCORDION_CSYSTEMD_SHIM_H
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

static inline int accordion_first_descriptor(void) { return SD_LISTEN_FDS_START; }

/* Whether it is a stream socket of this family that listens. */
static inline int accordion_is_listening(int descriptor, int family) {
  return sd_is_socket(descriptor, family, SOCK_STREAM, 1);
}
#endif
