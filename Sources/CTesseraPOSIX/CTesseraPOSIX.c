// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#define _GNU_SOURCE
#include "CTesseraPOSIX.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <TargetConditionals.h>

static int prepared(int descriptor) {
    if (descriptor < 0) { return -1; }
    int on = 1;
    if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0 || fcntl(descriptor, F_SETFL, O_NONBLOCK) < 0
        || setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on) < 0) {
        // EINVAL: the peer of an accepted socket has already closed the connection.
        int reason = errno == EINVAL ? ECONNABORTED : errno;
        close(descriptor);
        errno = reason;
        return -1;
    }
    return descriptor;
}

int tessera_stream_socket(int family) { return prepared(socket(family, SOCK_STREAM, 0)); }

int tessera_accept(int listener) { return prepared(accept(listener, NULL, NULL)); }

int tessera_pipe(int ends[2]) {
    if (pipe(ends) < 0) { return -1; }
    for (int i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
    }
    return 0;
}

ssize_t tessera_send(int socket, const void *bytes, size_t count) { return send(socket, bytes, count, 0); }
#else
int tessera_stream_socket(int family) { return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

int tessera_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int tessera_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK); }

ssize_t tessera_send(int socket, const void *bytes, size_t count) { return send(socket, bytes, count, MSG_NOSIGNAL); }
#endif

struct start {
    void (*body)(void *);
    void *context;
};

static void *run(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    start.body(start.context);
    return NULL;
}

int tessera_start_thread(void (*body)(void *), void *context) {
    struct start *start = malloc(sizeof *start);
    if (start == NULL) { return ENOMEM; }
    *start = (struct start){body, context};
    // A new thread inherits the mask: the program's signals stay with the program's threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    int failure = pthread_create(&thread, NULL, run, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure != 0) {
        free(start);
        return failure;
    }
    return pthread_detach(thread);
}

#if defined(__APPLE__) && !TARGET_OS_OSX
int tessera_spawn(const char *path, char *const arguments[], char *const environment[], int output, int is_interactive,
                  pid_t *process) {
    return ENOTSUP;
}
#else
#include <spawn.h>

int tessera_spawn(const char *path, char *const arguments[], char *const environment[], int output, int is_interactive,
                  pid_t *process) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure != 0) { return failure; }
    failure = posix_spawnattr_init(&attributes);
    if (failure != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return failure;
    }

    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (!is_interactive) {
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
        posix_spawn_file_actions_adddup2(&actions, output < 0 ? 0 : output, 1);
        posix_spawn_file_actions_adddup2(&actions, 0, 2);
#if defined(POSIX_SPAWN_SETSID)
        flags |= POSIX_SPAWN_SETSID;
#endif
    }
#if defined(__APPLE__)
    else {
        for (int stream = 0; stream < 3; stream++) { posix_spawn_file_actions_addinherit_np(&actions, stream); }
    }
#endif
#if defined(POSIX_SPAWN_CLOEXEC_DEFAULT)
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#elif defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
#endif
#endif
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGQUIT);
    sigaddset(&usual, SIGTERM);
    sigaddset(&usual, SIGHUP);
    sigaddset(&usual, SIGCHLD);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, flags);

    failure = posix_spawn(process, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}
#endif
