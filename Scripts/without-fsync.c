// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// A library for LD_PRELOAD that makes fsync and fdatasync return success without an effect, as a planted fault for
// Scripts/power-loss. If WITHOUT_FSYNC is "directories" or "files", this applies only to these.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int is_skipped(int descriptor) {
    const char *which = getenv("WITHOUT_FSYNC");
    struct stat status;
    if (which == NULL || strcmp(which, "all") == 0 || fstat(descriptor, &status) != 0) return 1;
    return S_ISDIR(status.st_mode) == (strcmp(which, "directories") == 0);
}

static int call(const char *name, int descriptor) {
    int (*function)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    return is_skipped(descriptor) ? 0 : function(descriptor);
}

int fsync(int descriptor) { return call("fsync", descriptor); }
int fdatasync(int descriptor) { return call("fdatasync", descriptor); }
