// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#define _GNU_SOURCE

#include "CTesseraAppContainer.h"

#if defined(__linux__)
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int refusals;

int tessera_app_container_refusals(void) { return refusals; }

static int refuse(void) {
    refusals++;
    errno = EPERM;
    return -1;
}

// The test program links this too, because it depends on the probe, so the restrictions must be enabled explicitly.
static int is_container(void) { return getenv("TESSERA_APP_CONTAINER") != NULL; }

static int is_refused(const char *path) {
    static const char *const writable[] = {"/Documents/", "/Library/", "/tmp/"};
    const char *home = getenv("HOME");
    size_t length = home ? strlen(home) : 0;
    if (!is_container() || length == 0 || strncmp(path, home, length) != 0 || path[length] != '/') { return 0; }
    for (size_t i = 0; i < sizeof(writable) / sizeof(writable[0]); i++) {
        if (strncmp(path + length, writable[i], strlen(writable[i])) == 0) { return 0; }
    }
    return 1;
}

// These functions override those of the C library.

int linkat(int old_directory, const char *old_path, int new_directory, const char *new_path, int flags) {
    if (is_container()) { return refuse(); }
    return (int)syscall(SYS_linkat, old_directory, old_path, new_directory, new_path, flags);
}

int link(const char *old_path, const char *new_path) { return linkat(AT_FDCWD, old_path, AT_FDCWD, new_path, 0); }

int mkdir(const char *path, mode_t mode) {
    return is_refused(path) ? refuse() : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (flags & O_CREAT && is_refused(path)) { return refuse(); }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
#else
int tessera_app_container_refusals(void) { return 0; }
#endif
