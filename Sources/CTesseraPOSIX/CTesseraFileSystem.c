// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#define _GNU_SOURCE

#include "CTesseraPOSIX.h"

#if !defined(__APPLE__)
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

int tessera_file_system_type(const char *path, uint32_t *type) {
    struct statfs information;
    if (statfs(path, &information) != 0) { return -1; }
    *type = (uint32_t)information.f_type;
    return 0;
}

int tessera_rename_exclusively(const char *old_path, const char *new_path) {
    // RENAME_NOREPLACE of <linux/fs.h>; not every C library has a function for this call.
    return (int)syscall(SYS_renameat2, AT_FDCWD, old_path, AT_FDCWD, new_path, 1u << 0);
}
#endif
