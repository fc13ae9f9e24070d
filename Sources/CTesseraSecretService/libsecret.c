// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !defined(__APPLE__)
#include "libsecret.h"

#include <dlfcn.h>
#include <stdio.h>

bool tessera_libsecret_open(struct libsecret *library, const char *name, struct tessera_secret_failure *failure) {
    failure->status = TESSERA_SECRET_NO_LIBRARY;
    // GLib has threads of its own: it is never unloaded.
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL) {
        const char *words = dlerror();
        snprintf(failure->words, sizeof failure->words, "%s", words == NULL ? "dlopen failed" : words);
        return false;
    }
    // The libraries that it needs are searched with it.
#define TESSERA_FIND(result, function, parameters) \
    *(void **)&library->function = dlsym(handle, #function); \
    if (library->function == NULL) { \
        snprintf(failure->words, sizeof failure->words, "%s has no %s", name, #function); \
        return false; \
    }
    TESSERA_LIBSECRET_FUNCTIONS(TESSERA_FIND)
#undef TESSERA_FIND
    failure->status = TESSERA_SECRET_DONE;
    return true;
}
#endif
