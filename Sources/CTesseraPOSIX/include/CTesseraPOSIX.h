// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// The system calls that Swift cannot see, or that need one call on Linux and several elsewhere.

#ifndef C_TESSERA_POSIX_H
#define C_TESSERA_POSIX_H

#include <stdint.h>
#include <sys/types.h>

/// A stream socket (AF_INET, AF_INET6 or AF_UNIX), close-on-exec, non-blocking, without SIGPIPE; -1 and errno on failure.
int tessera_stream_socket(int family);

/// Accepts a connection, close-on-exec, non-blocking, without SIGPIPE; -1 and errno on failure.
int tessera_accept(int listener);

/// A socket that listens at a path where nothing is, for this user alone; otherwise as `tessera_stream_socket`.
int tessera_local_listen(const char *path, int backlog);

/// A connection to the socket at a path; otherwise as `tessera_stream_socket`. Waits at most this many milliseconds while the
/// server's queue is full; EAGAIN when it still is. 0 does not wait. Apple's systems refuse at once (ECONNREFUSED).
int tessera_local_connect(const char *path, int milliseconds);

/// Prepares a listening Unix stream socket that this process inherited: it becomes close-on-exec and non-blocking. Copies its
/// path with a zero byte to `path`. Returns 0, or -1 and errno: EBADF or ENOTSOCK if the descriptor is not a socket,
/// EAFNOSUPPORT if it is not a Unix socket, EPROTOTYPE if it is not a stream socket, EINVAL if it does not listen,
/// EADDRNOTAVAIL if it has no path, and ENAMETOOLONG if the path is longer than `size`.
int tessera_local_inherit(int descriptor, char *path, size_t size);

/// Who connected to a socket of a path, or who listens there: the user, and the process at the time of the connection, 0
/// where the system does not say. Returns 0, or -1 and errno.
int tessera_peer(int socket, uid_t *user, pid_t *process);

/// The path of a process's program, cut to `size` with its zero byte; its bare name where the path may not be seen.
/// Returns its length, or -1 where nothing is known: the process may have ended.
ssize_t tessera_program_of(pid_t process, char *name, size_t size);

/// Keeps other processes of this user from reading this one's memory: no core dump, no debugger, no report of a crash.
/// Returns 0 or an error number.
int tessera_refuse_dumps(void);

/// Keeps this process's memory, of now and later, out of swap. Returns 0 or an error number: EPERM where the limit on
/// locked memory is finite, since an allocation would fail when it is reached; ENOTSUP where the system cannot.
int tessera_lock_memory(void);

/// A pipe whose ends are close-on-exec and non-blocking; 0, or -1 and errno.
int tessera_pipe(int ends[2]);

/// Sends without raising SIGPIPE; as send(2).
ssize_t tessera_send(int socket, const void *bytes, size_t count);

/// Runs `body` on a detached thread of its own, which takes no signals. Returns 0 or an error number.
int tessera_start_thread(void (*body)(void *), void *context);

/// Starts a program without the descriptors of this process. Unless it is interactive, it has its own session, /dev/null as
/// its input and standard error, and `output` (or /dev/null if it is negative) as its standard output. An interactive
/// program inherits the standard streams. Returns 0 and the process ID, or an error number (ENOTSUP if the system does not
/// permit programs).
int tessera_spawn(const char *path, char *const arguments[], char *const environment[], int output, int is_interactive,
                  pid_t *process);

/// Turns a terminal's echo and line mode off until `tessera_terminal_restore`, exit, or a deadly signal that the program
/// does not handle itself; a read waits a tenth of a second at most. Returns 0 or an error number: ENOTTY for what is no
/// terminal, EBUSY when one is hidden already, EIO in a background process.
int tessera_terminal_hide(int descriptor);

/// Turns the echo and the line mode of the hidden terminal off again, if there is one and this process is in the
/// foreground. A shell turns them on when it stops the process.
void tessera_terminal_hide_again(void);

/// Gives the hidden terminal its settings back, if there is one.
void tessera_terminal_restore(void);

/// Both ends of a new pseudo-terminal, for tests. Returns 0 or an error number.
int tessera_terminal_pair(int *controller, int *end);

#if !defined(__APPLE__)
/// Writes the number of the file system that holds `path` (`f_type` of statfs(2)); 0, or -1 and errno.
int tessera_file_system_type(const char *path, uint32_t *type);

/// Renames a file unless the new name is taken (renameat2(2) with RENAME_NOREPLACE); 0, or -1 and errno.
int tessera_rename_exclusively(const char *old_path, const char *new_path);
#endif

#endif
