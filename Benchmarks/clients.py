# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Compares small authorized GETs by several clients, each in its own process, with Go's net/http."""
import os
import shutil
import statistics

from harness import Nginx, build_go, build_with_libcurl, run

# The minimum ratio to Go's rate, by the number of concurrent calls.
RATE_BARS = {
    "HTTP/1.1": {1: 0.85, 16: 0.85, 64: 1.0},
    "TLS": {1: 0.9, 16: 0.8, 64: 0.9},
    "HTTP/2": {1: 0.8, 16: 0.8, 64: 0.8},
}
# The maximum ratio to Go's processor time per call.
PROCESSOR_BAR = 1.3
CLIENTS = {
    "tessera": "TesseraFetch",
    "curl": "  CurlTransport alone",
    "libcurl": "  libcurl in C, on one thread",
    "async-http-client": "  TesseraFetch over async-http-client",
    "go": "Go",
}


def measure_clients(table, programs):
    if not shutil.which("nginx"):
        return table.skip("clients", "nginx is not installed (Debian: nginx-light)")
    if not (go := build_go("authorized_gets")):
        return table.skip("clients; peer: Go", "Go with golang.org/x/oauth2 is not installed (Debian: golang-golang-x-oauth2-dev)")
    # None without libcurl's headers.
    libcurl = build_with_libcurl("libcurl_gets")
    with Nginx() as nginx:
        for protocol, bars in RATE_BARS.items():
            if protocol != "HTTP/1.1" and not nginx.certificate:
                table.skip(f"clients, {protocol}", "openssl is not installed")
                continue
            for in_flight, bar in bars.items():
                measure_cell(table, nginx, programs / "measure-fetch", go, libcurl, protocol, in_flight, bar)


def measure_cell(table, nginx, fetch, go, libcurl, protocol, in_flight, bar):
    """Measures all clients in turns and adds medians of rates and processor times with half of their range."""
    rounds, milliseconds = (1, 100) if table.smoke else (5, 1_500)
    options = [] if protocol == "HTTP/1.1" else [nginx.certificate]
    if protocol == "HTTP/2":
        options.append("http2")
    port, scheme = (nginx.tls_port, "https") if options else (nginx.port, "http")
    url = f"{scheme}://127.0.0.1:{port}/small.json"
    # The async-http-client transport does not support HTTP/2.
    names = [name for name in CLIENTS if (name, protocol) != ("async-http-client", "HTTP/2") and (name, libcurl) != ("libcurl", None)]
    rates, costs = ({name: [] for name in names} for _ in range(2))
    pin_client = pin_apart(nginx) if in_flight == 1 else None
    for number in range(rounds):
        for name in names if number % 2 == 0 else reversed(names):
            command = {"go": [go, url], "libcurl": [libcurl, url]}.get(name, [fetch, url, name])
            output = run(*command, in_flight, milliseconds, *options, preexec_fn=pin_client)
            rate, cost = (float(word) for word in output.split())
            rates[name].append(rate)
            costs[name].append(cost)
    if pin_client:
        os.sched_setaffinity(nginx.process.pid, os.sched_getaffinity(0))
    for name in names[:-1]:
        ratio, cost_ratio = (statistics.median(own / peer for own, peer in zip(values[name], values["go"]))
                             for values in [rates, costs])
        is_judged = name == "tessera"
        table.add(f"{CLIENTS[name]}, {protocol}, {in_flight} in flight, calls/s; peer: Go", shown(rates[name], 0),
                  shown(rates["go"], 0), f"{ratio:.2f}", f"≥ {bar}" if is_judged else "", ratio >= bar if is_judged else None)
        table.add("    processor time per call, µs", shown(costs[name], 1), shown(costs["go"], 1), f"{cost_ratio:.2f}",
                  f"≤ {PROCESSOR_BAR}" if is_judged else "", cost_ratio <= PROCESSOR_BAR if is_judged else None)


def shown(values, digits):
    middle = statistics.median(values)
    spread = (max(values) - min(values)) / 2 / middle
    return f"{middle:,.{digits}f} ±{spread:3.0%}"


def pin_apart(nginx):
    """Pins nginx to the first processor and returns a function that pins a new process to the second, if possible."""
    if not hasattr(os, "sched_setaffinity") or len(cores := sorted(os.sched_getaffinity(0))) < 2:
        return None
    os.sched_setaffinity(nginx.process.pid, cores[:1])
    return lambda: os.sched_setaffinity(0, cores[1:2])
