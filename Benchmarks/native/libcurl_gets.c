// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// libcurl_gets URL IN-FLIGHT MILLISECONDS [CERTIFICATE [http2]]: sends small authorized GETs with libcurl's multi
// interface on one thread, and prints the calls per second and the processor time of each call in microseconds.
//
// No client that uses libcurl can be faster: it prepares each handle once, and does not pass the responses to another
// thread.

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>

enum { most_in_flight = 256, most_sockets = 1024 };

static CURLM *multi;
static int epoll;
static unsigned registered[most_sockets];
// The time at which libcurl's timer expires, or -1.
static double timer = -1;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static double processor_time(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static int watch(CURL *easy, curl_socket_t socket, int interest, void *context, void *data) {
    (void)easy, (void)context, (void)data;
    unsigned events = interest == CURL_POLL_IN      ? EPOLLIN
                      : interest == CURL_POLL_OUT   ? EPOLLOUT
                      : interest == CURL_POLL_INOUT ? EPOLLIN | EPOLLOUT
                                                    : 0;
    if (socket >= most_sockets || events == registered[socket]) return 0;
    struct epoll_event event = {.events = events, .data.fd = socket};
    int action = events == 0 ? EPOLL_CTL_DEL : registered[socket] ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    epoll_ctl(epoll, action, socket, &event);
    registered[socket] = events;
    return 0;
}

static int set_timer(CURLM *handle, long milliseconds, void *context) {
    (void)handle, (void)context;
    timer = milliseconds < 0 ? -1 : now() + milliseconds / 1e3;
    return 0;
}

static size_t ignore(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes, (void)context;
    return size * count;
}

static CURL *prepare(char **options, int count, struct curl_slist *fields) {
    CURL *easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, options[1]);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fields);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, ignore);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 60L << 10);
    if (count > 4) {
        curl_easy_setopt(easy, CURLOPT_CAINFO, options[4]);
        curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    }
    int is_http2 = count > 5;
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)(is_http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, (long)is_http2);
    return easy;
}

// Starts each request that has ended again, and returns the number of requests that have ended.
static long repeat(void) {
    long ended = 0;
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        CURL *easy = message->easy_handle;
        long status = 0;
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        if (message->data.result != CURLE_OK || status != 200) {
            fprintf(stderr, "%ld %s\n", status, curl_easy_strerror(message->data.result));
            exit(1);
        }
        curl_multi_remove_handle(multi, easy);
        curl_multi_add_handle(multi, easy);
        ended += 1;
    }
    return ended;
}

static void run(double seconds, int prints) {
    double start = now(), processor = processor_time(), time = start;
    long calls = 0;
    while (time < start + seconds) {
        int running;
        struct epoll_event events[64];
        int wait = timer < 0 ? 100 : timer <= now() ? 0 : 1;
        int count = epoll_wait(epoll, events, 64, wait);
        for (int index = 0; index < count; index++) {
            int select = (events[index].events & (EPOLLIN | EPOLLHUP) ? CURL_CSELECT_IN : 0)
                         | (events[index].events & EPOLLOUT ? CURL_CSELECT_OUT : 0);
            curl_multi_socket_action(multi, events[index].data.fd, select, &running);
        }
        time = now();
        if (timer >= 0 && timer <= time) {
            timer = -1;
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
        }
        calls += repeat();
    }
    if (prints) printf("%f %f\n", calls / (time - start), (processor_time() - processor) / calls * 1e6);
}

int main(int count, char **options) {
    if (count < 4) return 2;
    int in_flight = atoi(options[2]);
    if (in_flight > most_in_flight) return 2;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    multi = curl_multi_init();
    epoll = epoll_create1(0);
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 128L);
    char token[256] = "Authorization: Bearer ya29.";
    for (int index = 0; index < 20; index++) strcat(token, "benchmark-");
    struct curl_slist *fields = curl_slist_append(curl_slist_append(NULL, token), "Accept: application/json");
    for (int index = 0; index < in_flight; index++) curl_multi_add_handle(multi, prepare(options, count, fields));
    double seconds = atoi(options[3]) / 1e3;
    // The first calls open the connections.
    run(seconds / 4, 0);
    run(seconds, 1);
    return 0;
}
