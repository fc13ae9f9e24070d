// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// libsecret, opened when it is first needed: nothing of it, nor of GLib, is there when this is built. Every call blocks,
// is bounded in time, and may be made by one thread at a time.

#ifndef C_TESSERA_SECRET_SERVICE_H
#define C_TESSERA_SECRET_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// How a call ended.
enum tessera_secret_status {
    TESSERA_SECRET_DONE = 0,
    /// The library is not there, or is another than it should be.
    TESSERA_SECRET_NO_LIBRARY,
    /// No session bus answers.
    TESSERA_SECRET_NO_BUS,
    /// Nobody on the bus is the Secret Service.
    TESSERA_SECRET_NO_SERVICE,
    /// A collection is locked, and nobody could be asked to unlock it.
    TESSERA_SECRET_LOCKED,
    /// Somebody was asked to unlock it and did not.
    TESSERA_SECRET_DISMISSED,
    /// There is no default collection, and nobody could be asked for its password.
    TESSERA_SECRET_NO_COLLECTION,
    /// No answer came in time.
    TESSERA_SECRET_TIMED_OUT,
    /// Anything else; `words` say what.
    TESSERA_SECRET_FAILED,
};

/// What went wrong, in the library's own words; never a secret.
struct tessera_secret_failure {
    enum tessera_secret_status status;
    char words[256];
};

/// A connection to the service, with a session for secrets on their way.
struct tessera_secret_service;

/// Connects to the service of the session bus.
///
/// `library` is what dlopen(3) gets. A call may take `milliseconds`, and one in which a person is asked
/// `prompt_milliseconds`; nobody is asked where that is 0. NULL and `failure` when it cannot be done.
struct tessera_secret_service *_Nullable tessera_secret_connect(
    const char *_Nonnull library, uint32_t milliseconds, uint32_t prompt_milliseconds,
    struct tessera_secret_failure *_Nonnull failure);

/// Ends the connection.
void tessera_secret_disconnect(struct tessera_secret_service *_Nonnull service);

/// An item that was found: the attributes whose names were given, in their order, NULL where it has none of that name;
/// and its value, NULL where values were not asked for.
typedef void (*tessera_secret_visitor)(
    void *_Nullable context, const char *_Nullable const *_Nonnull attributes, const char *_Nullable value,
    size_t length);

/// Shows `visitor` every item that has these attributes (name, value, …, NULL).
///
/// Fails when something is locked and stays so: what cannot be seen is never taken for «nothing».
bool tessera_secret_search(
    struct tessera_secret_service *_Nonnull service, const char *_Nullable const *_Nonnull attributes,
    const char *_Nullable const *_Nonnull names, bool with_values, tessera_secret_visitor _Nonnull visitor,
    void *_Nullable context, struct tessera_secret_failure *_Nonnull failure);

/// Gives the item with these attributes this value, or makes one in the default collection.
///
/// Of all items that have the attributes of `key`, which are some of them, only that one is left.
bool tessera_secret_store(
    struct tessera_secret_service *_Nonnull service, const char *_Nullable const *_Nonnull key,
    const char *_Nullable const *_Nonnull attributes, const char *_Nonnull label, const char *_Nullable value, size_t length,
    struct tessera_secret_failure *_Nonnull failure);

/// Removes every item that has these attributes; no error where there is none.
bool tessera_secret_remove(
    struct tessera_secret_service *_Nonnull service, const char *_Nullable const *_Nonnull attributes,
    struct tessera_secret_failure *_Nonnull failure);

#endif
