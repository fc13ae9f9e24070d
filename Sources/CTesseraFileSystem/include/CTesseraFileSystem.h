// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// File system calls that Swift's Glibc module does not have.

#ifndef C_TESSERA_FILE_SYSTEM_H
#define C_TESSERA_FILE_SYSTEM_H

#if !defined(__APPLE__)
#include <stdint.h>

/// Writes the number of the file system that holds `path` (`f_type` of statfs(2)); 0, or -1 and errno.
int tessera_file_system_type(const char *path, uint32_t *type);

/// Renames a file unless the new name is taken (renameat2(2) with RENAME_NOREPLACE); 0, or -1 and errno.
int tessera_rename_exclusively(const char *old_path, const char *new_path);
#endif

#endif
