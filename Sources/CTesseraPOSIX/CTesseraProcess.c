// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#define _GNU_SOURCE
#include "CTesseraPOSIX.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

#if defined(__APPLE__)
#include <TargetConditionals.h>
#if TARGET_OS_OSX
#include <libproc.h>
#include <sys/ptrace.h>
#endif
#endif

ssize_t tessera_program_of(pid_t process, char *name, size_t size) {
    if (process <= 0 || size < 2) { return -1; }
#if defined(__linux__)
    char path[48];
    snprintf(path, sizeof path, "/proc/%ld/exe", (long)process);
    ssize_t length = readlink(path, name, size - 1);
    if (length < 0) {
        // A program that may not be looked into still has a name.
        snprintf(path, sizeof path, "/proc/%ld/comm", (long)process);
        int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) { return -1; }
        length = read(file, name, size - 1);
        close(file);
        if (length > 0 && name[length - 1] == '\n') { length--; }
    }
    if (length <= 0) { return -1; }
    name[length] = 0;
    return length;
#elif defined(__APPLE__) && TARGET_OS_OSX
    char path[PROC_PIDPATHINFO_MAXSIZE];
    int length = proc_pidpath(process, path, sizeof path);
    if (length <= 0) { return -1; }
    size_t kept = (size_t)length < size - 1 ? (size_t)length : size - 1;
    memcpy(name, path, kept);
    name[kept] = 0;
    return (ssize_t)kept;
#else
    return -1;
#endif
}

int tessera_refuse_dumps(void) {
    // Swift's own handler of crashes prints registers and the memory that they point to.
    static const int crashes[] = {SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) { signal(crashes[i], SIG_DFL); }
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) < 0) { return errno; }
#if defined(__linux__)
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ? errno : 0;
#elif defined(__APPLE__) && TARGET_OS_OSX
    return ptrace(PT_DENY_ATTACH, 0, 0, 0) < 0 ? errno : 0;
#else
    return ENOTSUP;
#endif
}

int tessera_lock_memory(void) {
#if defined(__linux__)
    // Who may lift the limit, lifts it; with a finite one a later allocation would fail, and the program with it.
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    if (setrlimit(RLIMIT_MEMLOCK, &limit) < 0
        && (getrlimit(RLIMIT_MEMLOCK, &limit) < 0 || limit.rlim_cur != RLIM_INFINITY)) {
        return EPERM;
    }
    // Pages are locked when they are first used: the address space is much larger than what is used of it.
    if (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0) { return 0; }
    return errno;
#else
    return ENOTSUP;
#endif
}
