// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#include "CTesseraFileSystem.h"

#if !defined(__APPLE__)
#include <sys/vfs.h>

int tessera_file_system_type(const char *path, uint32_t *type) {
    struct statfs information;
    if (statfs(path, &information) != 0) { return -1; }
    *type = (uint32_t)information.f_type;
    return 0;
}
#endif
