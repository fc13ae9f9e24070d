# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Benchmarks with lists of many pages and with many sessions in one process."""
import contextlib
import pathlib
import shutil
import statistics
import sys
import tempfile

from harness import Nginx, PostgreSQL, build_go, figures, run


def measure_pages(table, programs):
    """Compares listing files as objects with receiving the same bytes with the same transport."""
    if not shutil.which("nginx"):
        return table.skip("paged files", "nginx is not installed (Debian: nginx-light)")
    pages, rounds = (10, 1) if table.smoke else (100, 31)
    program = programs / "measure-pages"
    for kind, members in [("default", "default members"), ("full", "all members")]:
        with Nginx() as nginx:
            folder = pathlib.Path(nginx.directory) / "pages"
            folder.mkdir()
            run(program, "write", folder, pages, kind)
            for page in folder.iterdir():
                page.chmod(0o644)
            servers = {"HTTP": [f"http://127.0.0.1:{nginx.port}"]}
            if nginx.certificate:
                servers["TLS"] = [f"https://127.0.0.1:{nginx.tls_port}", nginx.certificate]
            for protocol, (origin, *certificate) in servers.items():
                output = run(program, "compare", origin, pages, rounds, *certificate)
                own, peer, own_cost, peer_cost, ratio = (float(figure) for figure in output.split())
                table.add(f"{pages},000 paged files, {members}, {protocol}, ms; peer: receiving the bytes", f"{own:,.0f}",
                          f"{peer:,.0f}", f"{ratio:.2f}", "≤ 1.2", ratio <= 1.2)
                table.add("  processor time, ms", f"{own_cost:,.0f}", f"{peer_cost:,.0f}", f"{own_cost / peer_cost:.2f}")


def measure_sessions(table, programs):
    """Measures restoring, memory and refreshing of many sessions in one process."""
    program = programs / "measure-sessions"
    count = 100 if table.smoke else 10_000
    has_server = list(pathlib.Path("/usr/lib/postgresql").glob("*/bin/pgbench")) or shutil.which("pgbench")
    with tempfile.TemporaryDirectory(prefix="tessera-sessions-") as directory, contextlib.ExitStack() as servers:
        stores = {"SQLite": f"sqlite:{directory}/sessions.db"}
        if has_server:
            stores["PostgreSQL"] = servers.enter_context(PostgreSQL()).facts["url"]
        else:
            table.skip(f"{count:,} sessions restored from PostgreSQL", "PostgreSQL is not installed (Debian: postgresql)")
        for name, store in stores.items():
            run(program, "save", store, count)
            rounds = [figures(run(program, "sessions", store, count)) for _ in range(1 if table.smoke else 5)]
            restored = statistics.median(float(r["restore_ms"][0]) for r in rounds)
            table.add(f"{count:,} sessions restored from {name}, ms", f"{restored:,.0f}")
            if name == "SQLite" and sys.platform == "linux":
                held = statistics.median(int(r["session_bytes"][0]) for r in rounds)
                tokens = int(rounds[0]["token_bytes"][0])
                record = int(figures(run(program, "records", store, count))["record_bytes"][0])
                table.add(f"bytes per live session in addition to its record, {count:,} sessions; peer: the record",
                          f"{held - record:,.0f}", f"{record:,}", bar="≤ 2,048", ok=held - record <= 2_048)
                table.add("  in addition to its tokens; peer: the tokens", f"{held - tokens:,.0f}", f"{tokens:,}")
    measure_refreshes(table, program)


def measure_refreshes(table, program):
    """Compares refreshes of several concurrent sessions with golang.org/x/oauth2."""
    in_flight, milliseconds, rounds = (16, 200, 1) if table.smoke else (16, 2_000, 5)
    go = build_go("refreshes")
    if not go:
        table.skip("refreshes/s; peer: x/oauth2 in Go", "Go with golang.org/x/oauth2 is not installed (Debian: golang-golang-x-oauth2-dev)")
    with contextlib.ExitStack() as servers:
        providers = {"a transport that responds immediately": "instant"}
        if shutil.which("nginx"):
            providers["nginx"] = f"http://127.0.0.1:{servers.enter_context(Nginx()).port}"
        else:
            table.skip("refreshes/s, nginx", "nginx is not installed (Debian: nginx-light)")
        for meaning, provider in providers.items():
            own, peer = [], []
            for _ in range(rounds):
                for side, words in [(own, [program, "refresh"]), (peer, [go])]:
                    if words[0]:
                        output = run(*words, provider, in_flight, milliseconds)
                        side.append([float(figure) for figure in output.split()[1:]])
            rate, cost = (statistics.median(column) for column in zip(*own))
            what = f"refreshes/s, {in_flight} in flight, {meaning}"
            if not peer:
                table.add(what, f"{rate:,.0f}")
                continue
            peer_rate, peer_cost = (statistics.median(column) for column in zip(*peer))
            table.add(f"{what}; peer: x/oauth2 in Go", f"{rate:,.0f}", f"{peer_rate:,.0f}", f"{rate / peer_rate:.2f}")
            table.add("  processor time, µs", f"{cost:.1f}", f"{peer_cost:.1f}", f"{cost / peer_cost:.2f}")
