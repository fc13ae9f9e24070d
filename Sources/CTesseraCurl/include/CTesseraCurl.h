// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors
//
// What Swift cannot import of libcurl: its functions with a variable number of arguments, and options that older
// headers do not have.

#ifndef CTESSERA_CURL_H
#define CTESSERA_CURL_H

#if defined(__linux__) && !defined(__ANDROID__)

#if !__has_include(<curl/curl.h>)
#error "libcurl's headers are missing. Install libcurl4-openssl-dev (Debian, Ubuntu), libcurl-devel (Fedora, openSUSE) or curl-dev (Alpine)."
#endif

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#if LIBCURL_VERSION_NUM < 0x075000
#error "libcurl 7.80 or newer is needed."
#endif

#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <stddef.h>

typedef size_t (*TesseraCurlTransferFunction)(char *bytes, size_t size, size_t count, void *context);
typedef int (*TesseraCurlRequestFunction)(void *context, char *, char *, int, int);
typedef int (*TesseraCurlSocketFunction)(CURL *easy, curl_socket_t socket, int what, void *context, void *socketContext);
typedef int (*TesseraCurlTimerFunction)(CURLM *multi, long milliseconds, void *context);

CURLcode tessera_curl_set_number(CURL *easy, CURLoption option, long number);
CURLcode tessera_curl_set_offset(CURL *easy, CURLoption option, curl_off_t offset);
CURLcode tessera_curl_set_text(CURL *easy, CURLoption option, const char *text);
CURLcode tessera_curl_set_pointer(CURL *easy, CURLoption option, void *pointer);
CURLcode tessera_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *list);
/// libcurl copies the bytes.
CURLcode tessera_curl_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count);
CURLcode tessera_curl_set_transfer_function(CURL *easy, CURLoption option, TesseraCurlTransferFunction function);
CURLcode tessera_curl_set_request_function(CURL *easy, TesseraCurlRequestFunction function, void *context);
CURLcode tessera_curl_set_socket_functions(
    CURL *easy, curl_opensocket_callback open, curl_closesocket_callback close, void *context);
/// The file with the certificates that libcurl trusts by default, where it has one.
const char *tessera_curl_system_roots(void);
/// Makes a file in memory with these bytes; returns its descriptor, or -1.
int tessera_curl_memory_file(const void *bytes, size_t count);
/// The version that runs, 0x075800 for 7.88.0.
unsigned int tessera_curl_version(void);
/// The same as text, such as 7.88.0.
const char *tessera_curl_version_text(void);
/// Whether the libcurl that runs has a feature (`CURL_VERSION_…`).
bool tessera_curl_has(int feature);
/// The TLS library's name and version. libcurl puts the names of other TLS libraries that it could use in brackets.
const char *tessera_curl_tls_library(void);
/// https, and http where `http` is true: for requests, redirects aside.
CURLcode tessera_curl_set_protocols(CURL *easy, bool http);
/// What libcurl's TLS library must not do: write the keys where `SSLKEYLOGFILE` says.
CURLcode tessera_curl_forbid_key_log(CURL *easy);
/// Whether that can be prevented: only if it is OpenSSL, as a shared library.
bool tessera_curl_can_forbid_key_log(void);
/// Does not wait for a name lookup that runs when a transfer ends, where libcurl is new enough (7.87).
void tessera_curl_set_quick_exit(CURL *easy);

CURLcode tessera_curl_get_number(CURL *easy, CURLINFO info, long *number);
CURLcode tessera_curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *offset);
void *tessera_curl_get_private(CURL *easy);
/// The certificate that the server presented, in PEM, with `CURLOPT_CERTINFO`; NULL where there is none. The handle owns it.
const char *tessera_curl_certificate(CURL *easy);

CURLMcode tessera_curl_multi_set_number(CURLM *multi, CURLMoption option, long number);
/// Does not wait for name lookups when the handle is cleaned up, and permits 128 at once instead of 20.
///
/// Since libcurl 8.20, the threads for name lookups belong to the multi handle. Older versions ignore the options.
void tessera_curl_multi_detach_lookups(CURLM *multi);
CURLMcode tessera_curl_multi_set_socket_function(CURLM *multi, TesseraCurlSocketFunction function, void *context);
CURLMcode tessera_curl_multi_set_timer_function(CURLM *multi, TesseraCurlTimerFunction function, void *context);

/// The next transfer that has ended: its handle and result; false where there is none.
bool tessera_curl_next_ended(CURLM *multi, CURL **easy, CURLcode *result);

#endif
#endif
