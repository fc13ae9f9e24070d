// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#define _GNU_SOURCE
#include "CTesseraCurl.h"

#if defined(__linux__) && !defined(__ANDROID__)
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>
#include <string.h>

CURLcode tessera_curl_set_number(CURL *easy, CURLoption option, long number) {
    return curl_easy_setopt(easy, option, number);
}

CURLcode tessera_curl_set_offset(CURL *easy, CURLoption option, curl_off_t offset) {
    return curl_easy_setopt(easy, option, offset);
}

CURLcode tessera_curl_set_text(CURL *easy, CURLoption option, const char *text) {
    return curl_easy_setopt(easy, option, text);
}

CURLcode tessera_curl_set_pointer(CURL *easy, CURLoption option, void *pointer) {
    return curl_easy_setopt(easy, option, pointer);
}

CURLcode tessera_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *list) {
    return curl_easy_setopt(easy, option, list);
}

CURLcode tessera_curl_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {.data = (void *)bytes, .len = count, .flags = CURL_BLOB_COPY};
    return curl_easy_setopt(easy, option, &blob);
}

CURLcode tessera_curl_set_transfer_function(CURL *easy, CURLoption option, TesseraCurlTransferFunction function) {
    return curl_easy_setopt(easy, option, function);
}

CURLcode tessera_curl_set_request_function(CURL *easy, TesseraCurlRequestFunction function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}

CURLcode tessera_curl_set_socket_functions(
    CURL *easy, curl_opensocket_callback open, curl_closesocket_callback close, void *context
) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
    if (code == CURLE_OK) { code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context); }
    if (code == CURLE_OK) { code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close); }
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context);
}

CURLcode tessera_curl_set_protocols(CURL *easy, bool http) {
#if LIBCURL_VERSION_NUM >= 0x075500
    if (curl_version_info(CURLVERSION_NOW)->version_num >= 0x075500) {
        return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, http ? "https,http" : "https");
    }
#endif
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wdeprecated-declarations\"")
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(http ? CURLPROTO_HTTPS | CURLPROTO_HTTP : CURLPROTO_HTTPS));
    _Pragma("clang diagnostic pop")
}

// OpenSSL's function, in the OpenSSL that libcurl uses. The process may have another one: to its function the context would
// be arbitrary memory. NULL with another TLS library, and where OpenSSL is a part of libcurl's file.
typedef void (*KeyLogSetter)(void *context, void *callback);
static KeyLogSetter key_log_setter(void) {
    Dl_info libcurl;
    if (strncmp(tessera_curl_tls_library(), "OpenSSL/", 8) != 0) { return NULL; }
    if (dladdr((void *)curl_easy_setopt, &libcurl) == 0) { return NULL; }
    void *library = dlopen(libcurl.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL) { return NULL; }
    KeyLogSetter setter = (KeyLogSetter)dlsym(library, "SSL_CTX_set_keylog_callback");
    dlclose(library);
    return setter;
}

// Called with OpenSSL's context when libcurl has prepared it.
static CURLcode forget_key_log(CURL *easy, void *context, void *unused) {
    (void)easy;
    (void)unused;
    KeyLogSetter set = key_log_setter();
    if (set == NULL) { return CURLE_ABORTED_BY_CALLBACK; }
    set(context, NULL);
    return CURLE_OK;
}

bool tessera_curl_can_forbid_key_log(void) { return key_log_setter() != NULL; }

CURLcode tessera_curl_forbid_key_log(CURL *easy) {
    return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, forget_key_log);
}

void tessera_curl_set_quick_exit(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
}

CURLcode tessera_curl_get_number(CURL *easy, CURLINFO info, long *number) {
    return curl_easy_getinfo(easy, info, number);
}

CURLcode tessera_curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *offset) {
    return curl_easy_getinfo(easy, info, offset);
}

void *tessera_curl_get_private(CURL *easy) {
    char *pointer = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &pointer);
    return pointer;
}

const char *tessera_curl_certificate(CURL *easy) {
    struct curl_certinfo *chain = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_CERTINFO, &chain) != CURLE_OK || chain == NULL || chain->num_of_certs < 1) {
        return NULL;
    }
    for (struct curl_slist *line = chain->certinfo[0]; line != NULL; line = line->next) {
        if (strncmp(line->data, "Cert:", 5) == 0) { return line->data + 5; }
    }
    return NULL;
}

CURLMcode tessera_curl_multi_set_number(CURLM *multi, CURLMoption option, long number) {
    return curl_multi_setopt(multi, option, number);
}

void tessera_curl_multi_detach_lookups(CURLM *multi) {
    // CURLMOPT_RESOLVE_THREADS_MAX and CURLMOPT_QUICK_EXIT, which older headers do not have.
    curl_multi_setopt(multi, (CURLMoption)20, 128L);
    curl_multi_setopt(multi, (CURLMoption)21, 1L);
}

CURLMcode tessera_curl_multi_set_socket_function(CURLM *multi, TesseraCurlSocketFunction function, void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
    return code != CURLM_OK ? code : curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
}

CURLMcode tessera_curl_multi_set_timer_function(CURLM *multi, TesseraCurlTimerFunction function, void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
    return code != CURLM_OK ? code : curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

bool tessera_curl_next_ended(CURLM *multi, CURL **easy, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg == CURLMSG_DONE) {
            *easy = message->easy_handle;
            *result = message->data.result;
            return true;
        }
    }
    return false;
}

const char *tessera_curl_system_roots(void) { return curl_version_info(CURLVERSION_NOW)->cainfo; }

const char *tessera_curl_version_text(void) { return curl_version_info(CURLVERSION_NOW)->version; }

bool tessera_curl_has(int feature) { return (curl_version_info(CURLVERSION_NOW)->features & feature) != 0; }

int tessera_curl_memory_file(const void *bytes, size_t count) {
    int descriptor = memfd_create("tessera-trust-roots", MFD_CLOEXEC);
    size_t written = 0;
    while (descriptor >= 0 && written < count) {
        ssize_t part = write(descriptor, (const char *)bytes + written, count - written);
        if (part < 0) {
            close(descriptor);
            return -1;
        }
        written += (size_t)part;
    }
    return descriptor;
}

unsigned int tessera_curl_version(void) { return curl_version_info(CURLVERSION_NOW)->version_num; }

const char *tessera_curl_tls_library(void) {
    const char *name = curl_version_info(CURLVERSION_NOW)->ssl_version;
    return name == NULL ? "" : name;
}
#endif
