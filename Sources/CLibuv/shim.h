/* Why a shim: upcasts of handles and requests, which Swift can only express as unchecked casts, are typed here; and
   two declarations of sockets that glibc shows only to GNU sources, which the imported C library is not. */
#ifndef ACCORDION_CLIBUV_SHIM_H
#define ACCORDION_CLIBUV_SHIM_H
#include <sys/socket.h>
#include <uv.h>

extern int accept4(int socket, struct sockaddr *restrict address, socklen_t *restrict bytes, int flags);

/* Takes one connection from a listening socket, non-blocking and closed on exec. */
static inline int accordion_accept(int socket) { return accept4(socket, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC); }

/* What SO_PEERCRED tells of the other end of a Unix socket; the layout is the kernel's `struct ucred`. */
struct accordion_credentials { pid_t pid; uid_t uid; gid_t gid; };

/* A handle is allocated by its kind and kept as uv_handle_t; these give it back its kind. The caller vouches for it, as
   libuv itself does. */
static inline uv_stream_t *accordion_stream(uv_handle_t *handle) { return (uv_stream_t *)handle; }
static inline uv_tcp_t *accordion_tcp(uv_handle_t *handle) { return (uv_tcp_t *)handle; }
static inline uv_pipe_t *accordion_pipe(uv_handle_t *handle) { return (uv_pipe_t *)handle; }
static inline uv_poll_t *accordion_poll(uv_handle_t *handle) { return (uv_poll_t *)handle; }
static inline uv_timer_t *accordion_timer(uv_handle_t *handle) { return (uv_timer_t *)handle; }
static inline uv_signal_t *accordion_signal(uv_handle_t *handle) { return (uv_signal_t *)handle; }
static inline uv_async_t *accordion_async(uv_handle_t *handle) { return (uv_async_t *)handle; }
static inline uv_check_t *accordion_check(uv_handle_t *handle) { return (uv_check_t *)handle; }
static inline uv_prepare_t *accordion_prepare(uv_handle_t *handle) { return (uv_prepare_t *)handle; }
static inline uv_idle_t *accordion_idle(uv_handle_t *handle) { return (uv_idle_t *)handle; }
static inline uv_fs_event_t *accordion_fs_event(uv_handle_t *handle) { return (uv_fs_event_t *)handle; }

/* The way back up, for callbacks. */
static inline uv_handle_t *accordion_of_stream(uv_stream_t *handle) { return (uv_handle_t *)handle; }
static inline uv_handle_t *accordion_of_poll(uv_poll_t *handle) { return (uv_handle_t *)handle; }
static inline uv_handle_t *accordion_of_timer(uv_timer_t *handle) { return (uv_handle_t *)handle; }
static inline uv_handle_t *accordion_of_signal(uv_signal_t *handle) { return (uv_handle_t *)handle; }
static inline uv_handle_t *accordion_of_async(uv_async_t *handle) { return (uv_handle_t *)handle; }
static inline uv_handle_t *accordion_of_check(uv_check_t *handle) { return (uv_handle_t *)handle; }
static inline uv_handle_t *accordion_of_prepare(uv_prepare_t *handle) { return (uv_handle_t *)handle; }
static inline uv_handle_t *accordion_of_idle(uv_idle_t *handle) { return (uv_handle_t *)handle; }
static inline uv_handle_t *accordion_of_fs_event(uv_fs_event_t *handle) { return (uv_handle_t *)handle; }
/* The loop's own buffer, whose address is the loop's data: every stream of the loop reads to it, one after the other. */
static inline uv_buf_t accordion_read_buffer(const uv_handle_t *handle, size_t bytes) {
  return uv_buf_init((char *)handle->loop->data, (unsigned int)bytes);
}
#endif
