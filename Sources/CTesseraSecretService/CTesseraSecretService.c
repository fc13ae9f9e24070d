// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#include "CTesseraSecretService.h"

#if !defined(__APPLE__)
#define _GNU_SOURCE
#include "deadline.h"
#include "libsecret.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tessera_secret_service {
    struct libsecret g;
    uint32_t milliseconds;
    uint32_t prompt_milliseconds;
    void *context;
    void *bus;
    void *service;
};

/// One call: its deadline, and how it went.
struct call {
    struct tessera_secret_service *service;
    struct libsecret *g;
    struct tessera_deadline deadline;
    void *cancellable;
    GError *error;
    struct tessera_secret_failure *failure;
};

static void fail(struct call *call, enum tessera_secret_status status, const char *words) {
    if (call->failure->status != TESSERA_SECRET_DONE) { return; }
    call->failure->status = status;
    snprintf(call->failure->words, sizeof call->failure->words, "%s", words);
}

static bool begin(struct call *call, struct tessera_secret_service *service, struct tessera_secret_failure *failure) {
    memset(call, 0, sizeof *call);
    call->service = service;
    call->g = &service->g;
    call->failure = failure;
    failure->status = TESSERA_SECRET_DONE;
    failure->words[0] = 0;
    call->cancellable = call->g->g_cancellable_new();
    if (!tessera_deadline_begin(
            &call->deadline, service->milliseconds, call->g->g_cancellable_cancel, call->cancellable)) {
        call->g->g_object_unref(call->cancellable);
        fail(call, TESSERA_SECRET_FAILED, "no thread can be had");
        return false;
    }
    // The bus's signals are delivered to this context. In the program's own nobody might ever fetch them.
    call->g->g_main_context_push_thread_default(service->context);
    return true;
}

static bool end(struct call *call) {
    while (call->g->g_main_context_iteration(call->service->context, 0)) {}
    call->g->g_main_context_pop_thread_default(call->service->context);
    tessera_deadline_end(&call->deadline);
    call->g->g_object_unref(call->cancellable);
    call->g->g_clear_error(&call->error);
    return call->failure->status == TESSERA_SECRET_DONE;
}

static bool has_expired(struct call *call) {
    pthread_mutex_lock(&call->deadline.lock);
    bool has_expired = call->deadline.has_expired;
    pthread_mutex_unlock(&call->deadline.lock);
    return has_expired;
}

/// Whether something went wrong; the first failure is kept.
static bool failed(struct call *call, enum tessera_secret_status otherwise) {
    if (call->error == NULL) { return call->failure->status != TESSERA_SECRET_DONE; }
    enum tessera_secret_status status = otherwise;
    char *name = call->g->g_dbus_error_get_remote_error(call->error);
    if (name != NULL) {
        const char *const errors = "org.freedesktop.DBus.Error.";
        const char *rest = strncmp(name, errors, strlen(errors)) == 0 ? name + strlen(errors) : "";
        if (strcmp(rest, "ServiceUnknown") == 0 || strcmp(rest, "NameHasNoOwner") == 0
            || strncmp(rest, "Spawn.", strlen("Spawn.")) == 0) {
            status = TESSERA_SECRET_NO_SERVICE;
        } else if (strcmp(name, "org.freedesktop.Secret.Error.IsLocked") == 0) {
            status = TESSERA_SECRET_LOCKED;
        }
        call->g->g_free(name);
    }
    if (has_expired(call)) { status = TESSERA_SECRET_TIMED_OUT; }
    call->g->g_dbus_error_strip_remote_error(call->error);
    fail(call, status, call->error->message == NULL ? "" : call->error->message);
    call->g->g_clear_error(&call->error);
    return true;
}

static void free_items(struct call *call, GList *items) {
    call->g->g_list_free_full(items, call->g->g_object_unref);
}

static void *table(struct call *call, const char *const *attributes) {
    void *table = call->g->g_hash_table_new(call->g->g_str_hash, call->g->g_str_equal);
    for (; attributes[0] != NULL; attributes += 2) {
        call->g->g_hash_table_insert(table, (void *)attributes[0], (void *)attributes[1]);
    }
    return table;
}

/// The service may ask the person within the next call: that takes longer.
static void await_person(struct call *call) {
    if (call->service->prompt_milliseconds > 0) {
        tessera_deadline_extend(&call->deadline, call->service->prompt_milliseconds);
    }
}

static bool unlock(struct call *call, GList *objects) {
    if (call->service->prompt_milliseconds == 0) {
        fail(call, TESSERA_SECRET_LOCKED, "");
        return false;
    }
    await_person(call);
    int count =
        call->g->secret_service_unlock_sync(call->service->service, objects, call->cancellable, NULL, &call->error);
    if (call->error != NULL && has_expired(call)) {
        // The user did not complete the prompt. The keyring works, and another call would only prompt again.
        call->g->g_clear_error(&call->error);
        fail(call, TESSERA_SECRET_LOCKED, "the prompt to unlock it was not completed in time");
        return false;
    }
    if (failed(call, TESSERA_SECRET_FAILED)) { return false; }
    if (count <= 0) { fail(call, TESSERA_SECRET_DISMISSED, ""); }
    tessera_deadline_extend(&call->deadline, call->service->milliseconds);
    return count > 0;
}

/// The default collection, unlocked; NULL where there is none, or after a failure.
static void *default_collection(struct call *call, bool *was_locked) {
    void *collection = call->g->secret_collection_for_alias_sync(
        call->service->service, "default", 0, call->cancellable, &call->error);
    *was_locked = false;
    if (failed(call, TESSERA_SECRET_FAILED) || collection == NULL) { return NULL; }
    if (!call->g->secret_collection_get_locked(collection)) { return collection; }
    *was_locked = true;
    GList *list = call->g->g_list_append(NULL, collection);
    bool is_unlocked = unlock(call, list);
    call->g->g_list_free(list);
    if (is_unlocked) { return collection; }
    call->g->g_object_unref(collection);
    return NULL;
}

/// The items with these attributes, none of them locked; NULL for none, or after a failure.
static GList *find(struct call *call, void *attributes) {
    for (int round = 0; round < 3; round++) {
        GList *items = call->g->secret_service_search_sync(
            call->service->service, NULL, attributes, SECRET_SEARCH_ALL, call->cancellable, &call->error);
        if (failed(call, TESSERA_SECRET_FAILED)) { return NULL; }
        GList *locked = NULL;
        for (GList *item = items; item != NULL; item = item->next) {
            if (call->g->secret_item_get_locked(item->data)) { locked = call->g->g_list_append(locked, item->data); }
        }
        bool again = locked != NULL && unlock(call, locked);
        call->g->g_list_free(locked);
        if (!again && call->failure->status == TESSERA_SECRET_DONE) {
            // A service may hide what is in a locked collection, such as a newer item of the same account.
            void *collection = default_collection(call, &again);
            if (collection != NULL) { call->g->g_object_unref(collection); }
        }
        if (failed(call, TESSERA_SECRET_FAILED)) {
            free_items(call, items);
            return NULL;
        }
        if (!again) { return items; }
        free_items(call, items);
    }
    fail(call, TESSERA_SECRET_LOCKED, "it was unlocked, and is locked again");
    return NULL;
}

struct tessera_secret_service *tessera_secret_connect(
    const char *library, uint32_t milliseconds, uint32_t prompt_milliseconds, struct tessera_secret_failure *failure) {
    struct tessera_secret_service *service = calloc(1, sizeof *service);
    if (service == NULL) {
        failure->status = TESSERA_SECRET_FAILED;
        snprintf(failure->words, sizeof failure->words, "no memory");
        return NULL;
    }
    if (!tessera_libsecret_open(&service->g, library, failure)) {
        free(service);
        return NULL;
    }
    service->milliseconds = milliseconds;
    service->prompt_milliseconds = prompt_milliseconds;
    service->context = service->g.g_main_context_new();
    struct call call;
    if (!begin(&call, service, failure)) {
        tessera_secret_disconnect(service);
        return NULL;
    }
    // GLib's sockets ignore SIGPIPE for the whole process, and do not need that here: they send without the signal.
    struct sigaction pipe_action;
    bool has_action = sigaction(SIGPIPE, NULL, &pipe_action) == 0;
    // The process's one connection to the session bus: libsecret takes no other.
    service->bus = service->g.g_bus_get_sync(G_BUS_TYPE_SESSION, call.cancellable, &call.error);
    if (has_action && pipe_action.sa_handler != SIG_IGN) { sigaction(SIGPIPE, &pipe_action, NULL); }
    if (!failed(&call, TESSERA_SECRET_NO_BUS)) {
        // Else GLib ends the process together with the bus.
        service->g.g_dbus_connection_set_exit_on_close(service->bus, 0);
        service->service = service->g.secret_service_open_sync(
            service->g.secret_service_get_type(), NULL, SECRET_SERVICE_OPEN_SESSION, call.cancellable, &call.error);
        failed(&call, service->g.g_dbus_connection_is_closed(service->bus) ? TESSERA_SECRET_NO_BUS : TESSERA_SECRET_FAILED);
    }
    if (end(&call)) { return service; }
    tessera_secret_disconnect(service);
    return NULL;
}

void tessera_secret_disconnect(struct tessera_secret_service *service) {
    struct libsecret *g = &service->g;
    g->g_main_context_push_thread_default(service->context);
    if (service->service != NULL) { g->g_object_unref(service->service); }
    if (service->bus != NULL) { g->g_object_unref(service->bus); }
    while (g->g_main_context_iteration(service->context, 0)) {}
    g->g_main_context_pop_thread_default(service->context);
    g->g_main_context_unref(service->context);
    free(service);
}

static void show(
    struct call *call, void *item, const char *const *names, bool with_values, tessera_secret_visitor visitor,
    void *context) {
    enum { limit = 8 };
    const char *values[limit] = {NULL};
    void *value = NULL;
    size_t length = 0;
    if (with_values) {
        call->g->secret_item_load_secret_sync(item, call->cancellable, &call->error);
        if (failed(call, TESSERA_SECRET_FAILED)) { return; }
        value = call->g->secret_item_get_secret(item);
    }
    void *attributes = call->g->secret_item_get_attributes(item);
    for (int i = 0; names[i] != NULL && i < limit; i++) {
        values[i] = attributes == NULL ? NULL : call->g->g_hash_table_lookup(attributes, names[i]);
    }
    const char *bytes = value == NULL ? NULL : call->g->secret_value_get(value, &length);
    visitor(context, values, with_values && bytes == NULL ? "" : bytes, length);
    if (attributes != NULL) { call->g->g_hash_table_unref(attributes); }
    if (value != NULL) { call->g->secret_value_unref(value); }
}

bool tessera_secret_search(
    struct tessera_secret_service *service, const char *const *attributes, const char *const *names, bool with_values,
    tessera_secret_visitor visitor, void *context, struct tessera_secret_failure *failure) {
    struct call call;
    if (!begin(&call, service, failure)) { return false; }
    void *wanted = table(&call, attributes);
    GList *items = find(&call, wanted);
    for (GList *item = items; item != NULL && failure->status == TESSERA_SECRET_DONE; item = item->next) {
        show(&call, item->data, names, with_values, visitor, context);
    }
    free_items(&call, items);
    call.g->g_hash_table_unref(wanted);
    return end(&call);
}

/// Gives an item a value, and its label where that is another now.
static void change(struct call *call, void *item, const char *label, void *value) {
    call->g->secret_item_set_secret_sync(item, value, call->cancellable, &call->error);
    if (failed(call, TESSERA_SECRET_FAILED)) { return; }
    char *old = call->g->secret_item_get_label(item);
    if (old == NULL || strcmp(old, label) != 0) {
        // The value is kept by now: a label that cannot be changed is no reason to fail.
        call->g->secret_item_set_label_sync(item, label, call->cancellable, &call->error);
        call->g->g_clear_error(&call->error);
    }
    call->g->g_free(old);
}

/// Whether an item has all of these attributes.
static bool has(struct call *call, void *item, const char *const *attributes) {
    void *found = call->g->secret_item_get_attributes(item);
    if (found == NULL) { return false; }
    bool has_all = true;
    for (; attributes[0] != NULL && has_all; attributes += 2) {
        const char *value = call->g->g_hash_table_lookup(found, attributes[0]);
        has_all = value != NULL && strcmp(value, attributes[1]) == 0;
    }
    call->g->g_hash_table_unref(found);
    return has_all;
}

/// Deletes every item but one.
static void delete_others(struct call *call, GList *items, const GList *kept) {
    for (GList *item = items; item != NULL && call->failure->status == TESSERA_SECRET_DONE; item = item->next) {
        if (item == kept) { continue; }
        await_person(call);
        call->g->secret_item_delete_sync(item->data, call->cancellable, &call->error);
        failed(call, TESSERA_SECRET_FAILED);
    }
}

static void create(struct call *call, void *attributes, const char *label, void *value) {
    bool was_locked;
    void *collection = default_collection(call, &was_locked);
    if (failed(call, TESSERA_SECRET_FAILED)) { return; }
    if (collection == NULL) {
        if (call->service->prompt_milliseconds == 0) {
            fail(call, TESSERA_SECRET_NO_COLLECTION, "");
            return;
        }
        await_person(call);
        collection = call->g->secret_collection_create_sync(
            call->service->service, "Default keyring", "default", 0, call->cancellable, &call->error);
        if (collection == NULL && call->error == NULL) { fail(call, TESSERA_SECRET_DISMISSED, ""); }
        if (failed(call, TESSERA_SECRET_FAILED)) { return; }
        tessera_deadline_extend(&call->deadline, call->service->milliseconds);
    }
    await_person(call);
    void *item = call->g->secret_item_create_sync(
        collection, NULL, attributes, label, value, SECRET_ITEM_CREATE_REPLACE, call->cancellable, &call->error);
    if (!failed(call, TESSERA_SECRET_FAILED) && item == NULL) {
        fail(call, TESSERA_SECRET_DISMISSED, "");
    }
    if (item != NULL) { call->g->g_object_unref(item); }
    call->g->g_object_unref(collection);
}

bool tessera_secret_store(
    struct tessera_secret_service *service, const char *const *key, const char *const *attributes, const char *label,
    const char *value, size_t length, struct tessera_secret_failure *failure) {
    struct call call;
    if (!begin(&call, service, failure)) { return false; }
    void *wanted = table(&call, key);
    void *secret = call.g->secret_value_new(value == NULL ? "" : value, (ptrdiff_t)length, "text/plain");
    GList *items = find(&call, wanted);
    if (failure->status == TESSERA_SECRET_DONE) {
        GList *item = items;
        while (item != NULL && !has(&call, item->data, attributes)) { item = item->next; }
        if (item == NULL) {
            void *complete = table(&call, attributes);
            create(&call, complete, label, secret);
            call.g->g_hash_table_unref(complete);
        } else {
            change(&call, item->data, label, secret);
        }
        delete_others(&call, items, item);
    }
    free_items(&call, items);
    call.g->secret_value_unref(secret);
    call.g->g_hash_table_unref(wanted);
    return end(&call);
}

bool tessera_secret_remove(
    struct tessera_secret_service *service, const char *const *attributes, struct tessera_secret_failure *failure) {
    struct call call;
    if (!begin(&call, service, failure)) { return false; }
    void *wanted = table(&call, attributes);
    GList *items = find(&call, wanted);
    delete_others(&call, items, NULL);
    free_items(&call, items);
    if (items != NULL && failure->status == TESSERA_SECRET_DONE) {
        // libsecret reports no error if the user dismisses the prompt for a deletion.
        GList *kept = find(&call, wanted);
        if (kept != NULL && failure->status == TESSERA_SECRET_DONE) { fail(&call, TESSERA_SECRET_DISMISSED, ""); }
        free_items(&call, kept);
    }
    call.g->g_hash_table_unref(wanted);
    return end(&call);
}

#else

#include <stdio.h>

struct tessera_secret_service *tessera_secret_connect(
    const char *library, uint32_t milliseconds, uint32_t prompt_milliseconds, struct tessera_secret_failure *failure) {
    (void)milliseconds;
    (void)prompt_milliseconds;
    failure->status = TESSERA_SECRET_NO_LIBRARY;
    snprintf(failure->words, sizeof failure->words, "%s is not used on this system", library);
    return NULL;
}

void tessera_secret_disconnect(struct tessera_secret_service *service) { (void)service; }

static bool absent(struct tessera_secret_failure *failure) {
    failure->status = TESSERA_SECRET_NO_LIBRARY;
    failure->words[0] = 0;
    return false;
}

bool tessera_secret_search(
    struct tessera_secret_service *service, const char *const *attributes, const char *const *names, bool with_values,
    tessera_secret_visitor visitor, void *context, struct tessera_secret_failure *failure) {
    (void)service, (void)attributes, (void)names, (void)with_values, (void)visitor, (void)context;
    return absent(failure);
}

bool tessera_secret_store(
    struct tessera_secret_service *service, const char *const *key, const char *const *attributes, const char *label,
    const char *value, size_t length, struct tessera_secret_failure *failure) {
    (void)service, (void)key, (void)attributes, (void)label, (void)value, (void)length;
    return absent(failure);
}

bool tessera_secret_remove(
    struct tessera_secret_service *service, const char *const *attributes, struct tessera_secret_failure *failure) {
    (void)service, (void)attributes;
    return absent(failure);
}
#endif
