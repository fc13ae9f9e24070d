// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// As much of the interface of libsecret, GLib, GObject and GIO as is called here, under their own names. Their headers
// are not needed, so what is declared stands in their documentation: https://gnome.pages.gitlab.gnome.org/libsecret/

#ifndef TESSERA_LIBSECRET_H
#define TESSERA_LIBSECRET_H

#include "CTesseraSecretService.h"

typedef struct {
    uint32_t domain;
    int code;
    char *message;
} GError;

typedef struct GList {
    void *data;
    struct GList *next;
    struct GList *previous;
} GList;

typedef unsigned int (*GHashFunc)(const void *);
typedef int (*GEqualFunc)(const void *, const void *);

// FUNCTION(result, name, parameters)
#define TESSERA_LIBSECRET_FUNCTIONS(FUNCTION) \
    FUNCTION(void, g_clear_error, (GError **)) \
    FUNCTION(char *, g_dbus_error_get_remote_error, (const GError *)) \
    FUNCTION(int, g_dbus_error_strip_remote_error, (GError *)) \
    FUNCTION(void, g_free, (void *)) \
    FUNCTION(GList *, g_list_append, (GList *, void *)) \
    FUNCTION(void, g_list_free, (GList *)) \
    FUNCTION(void, g_list_free_full, (GList *, void (*)(void *))) \
    FUNCTION(unsigned int, g_str_hash, (const void *)) \
    FUNCTION(int, g_str_equal, (const void *, const void *)) \
    FUNCTION(void *, g_hash_table_new, (GHashFunc, GEqualFunc)) \
    FUNCTION(int, g_hash_table_insert, (void *, void *, void *)) \
    FUNCTION(void *, g_hash_table_lookup, (void *, const void *)) \
    FUNCTION(void, g_hash_table_unref, (void *)) \
    FUNCTION(void *, g_main_context_new, (void)) \
    FUNCTION(void, g_main_context_unref, (void *)) \
    FUNCTION(void, g_main_context_push_thread_default, (void *)) \
    FUNCTION(void, g_main_context_pop_thread_default, (void *)) \
    FUNCTION(int, g_main_context_iteration, (void *, int)) \
    FUNCTION(void, g_object_unref, (void *)) \
    FUNCTION(void *, g_cancellable_new, (void)) \
    FUNCTION(void, g_cancellable_cancel, (void *)) \
    FUNCTION(void *, g_bus_get_sync, (int, void *, GError **)) \
    FUNCTION(void, g_dbus_connection_set_exit_on_close, (void *, int)) \
    FUNCTION(int, g_dbus_connection_is_closed, (void *)) \
    FUNCTION(void *, secret_service_open_sync, (size_t, const char *, int, void *, GError **)) \
    FUNCTION(size_t, secret_service_get_type, (void)) \
    FUNCTION(GList *, secret_service_search_sync, (void *, const void *, void *, int, void *, GError **)) \
    FUNCTION(int, secret_service_unlock_sync, (void *, GList *, void *, GList **, GError **)) \
    FUNCTION(void *, secret_collection_for_alias_sync, (void *, const char *, int, void *, GError **)) \
    FUNCTION(void *, secret_collection_create_sync, (void *, const char *, const char *, int, void *, GError **)) \
    FUNCTION(int, secret_collection_get_locked, (void *)) \
    FUNCTION(void *, secret_item_create_sync, \
        (void *, const void *, void *, const char *, void *, int, void *, GError **)) \
    FUNCTION(int, secret_item_delete_sync, (void *, void *, GError **)) \
    FUNCTION(void *, secret_item_get_attributes, (void *)) \
    FUNCTION(char *, secret_item_get_label, (void *)) \
    FUNCTION(int, secret_item_get_locked, (void *)) \
    FUNCTION(void *, secret_item_get_secret, (void *)) \
    FUNCTION(int, secret_item_load_secret_sync, (void *, void *, GError **)) \
    FUNCTION(int, secret_item_set_label_sync, (void *, const char *, void *, GError **)) \
    FUNCTION(int, secret_item_set_secret_sync, (void *, void *, void *, GError **)) \
    FUNCTION(void *, secret_value_new, (const char *, ptrdiff_t, const char *)) \
    FUNCTION(const char *, secret_value_get, (void *, size_t *)) \
    FUNCTION(void, secret_value_unref, (void *))

enum {
    G_BUS_TYPE_SESSION = 2,
    SECRET_SERVICE_OPEN_SESSION = 1 << 1,
    SECRET_SEARCH_ALL = 1 << 1,
    SECRET_ITEM_CREATE_REPLACE = 1 << 1,
};

/// The functions, as they were found.
struct libsecret {
#define TESSERA_DECLARE(result, name, parameters) result (*name) parameters;
    TESSERA_LIBSECRET_FUNCTIONS(TESSERA_DECLARE)
#undef TESSERA_DECLARE
};

/// Opens the library and finds every function; false and `failure` where one is missing.
bool tessera_libsecret_open(struct libsecret *library, const char *name, struct tessera_secret_failure *failure);

#endif
