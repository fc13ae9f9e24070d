// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#define _GNU_SOURCE
#include "CTesseraPOSIX.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

static int closed(int socket) {
    int reason = errno;
    close(socket);
    errno = reason;
    return -1;
}

static int failed(int reason) {
    errno = reason;
    return -1;
}

/// Opens a socket and sets the address to the path.
static int socket_for(struct sockaddr_un *address, const char *path) {
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof address->sun_path) { return failed(ENAMETOOLONG); }
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, length + 1);
    return tessera_stream_socket(AF_UNIX);
}

int tessera_local_listen(const char *path, int backlog) {
    struct sockaddr_un address;
    int socket = socket_for(&address, path);
    if (socket < 0) { return -1; }
    if (bind(socket, (const struct sockaddr *)&address, sizeof address) < 0) { return closed(socket); }
    if (chmod(path, 0600) < 0 || listen(socket, backlog) < 0) {
        int reason = errno;
        unlink(path);
        errno = reason;
        return closed(socket);
    }
    return socket;
}

int tessera_local_connect(const char *path, int milliseconds) {
    struct sockaddr_un address;
    int socket = socket_for(&address, path);
    if (socket < 0) { return -1; }
    // No descriptor can be polled for a place in the queue: connect itself waits for it, as long as a send may take.
    struct timeval time = {milliseconds / 1000, milliseconds % 1000 * 1000};
    if (milliseconds > 0
        && (setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time) < 0 || fcntl(socket, F_SETFL, 0) < 0)) {
        return closed(socket);
    }
    if (connect(socket, (const struct sockaddr *)&address, sizeof address) < 0) { return closed(socket); }
    return fcntl(socket, F_SETFL, O_NONBLOCK) < 0 ? closed(socket) : socket;
}

int tessera_local_inherit(int descriptor, char *path, size_t size) {
    // Larger than sockaddr_un, because the system adds a zero byte to a path that fills it.
    union {
        struct sockaddr_storage storage;
        struct sockaddr_un local;
    } address;
    memset(&address, 0, sizeof address);
    socklen_t length = sizeof address;
    if (getsockname(descriptor, (struct sockaddr *)&address, &length) < 0) { return -1; }
    if (address.storage.ss_family != AF_UNIX) { return failed(EAFNOSUPPORT); }
    int value = 0;
    socklen_t value_size = sizeof value;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &value, &value_size) < 0) { return -1; }
    if (value != SOCK_STREAM) { return failed(EPROTOTYPE); }
    value_size = sizeof value;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &value_size) < 0) { return -1; }
    if (value == 0) { return failed(EINVAL); }
    const char *name = (const char *)&address + offsetof(struct sockaddr_un, sun_path);
    // The name of an abstract socket begins with a zero byte.
    size_t count = strnlen(name, sizeof address - offsetof(struct sockaddr_un, sun_path));
    if (length <= offsetof(struct sockaddr_un, sun_path) || count == 0) { return failed(EADDRNOTAVAIL); }
    if (count >= size) { return failed(ENAMETOOLONG); }
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0 || fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0) {
        return -1;
    }
    memcpy(path, name, count);
    path[count] = 0;
    return 0;
}

int tessera_peer(int socket, uid_t *user, pid_t *process) {
#if defined(__linux__)
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) { return -1; }
    *user = peer.uid;
    *process = peer.pid;
    return 0;
#else
    gid_t group;
    *process = 0;
#if defined(LOCAL_PEERPID)
    socklen_t size = sizeof *process;
    if (getsockopt(socket, SOL_LOCAL, LOCAL_PEERPID, process, &size) < 0) { *process = 0; }
#endif
    return getpeereid(socket, user, &group);
#endif
}
