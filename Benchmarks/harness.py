# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Shared parts of the benchmarks: the table of results, a web server, and a database."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
NATIVE = HERE / ".build" / "native"
# The location of Debian's golang-golang-x-oauth2-dev.
GO_ENVIRONMENT = {**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOCACHE": str(NATIVE / "go")}


class Table:
    def __init__(self, smoke):
        self.smoke = smoke
        self.rows = [("benchmark", "tessera", "peer", "ratio", "target", "")]
        self.failed = False

    def add(self, what, own, peer="", ratio="", bar="", ok=None, exact=False):
        """Adds a row. `ok` is None without a target. Missing a target fails a run, or a smoke run if `exact`."""
        verdict = "" if ok is None else "ok" if ok else "MISSED"
        if ok is False and (exact or not self.smoke):
            self.failed = True
        self.rows.append((what, own, peer, ratio, bar, verdict))

    def skip(self, what, why):
        self.rows.append((what, "skipped: " + why, "", "", "", ""))

    def print(self):
        wide = [r for r in self.rows if not r[1].startswith("skipped")]
        widths = [max(len(row[column]) for row in wide) for column in range(5)]
        widths[0] = max(len(row[0]) for row in self.rows)
        for row in self.rows:
            cells = [row[0].ljust(widths[0])]
            if row[1].startswith("skipped"):
                cells.append(row[1])
            else:
                cells += [row[column].rjust(widths[column]) for column in range(1, 5)] + [row[5]]
            print("  ".join(cells).rstrip())


def run(*command, **options):
    return subprocess.run([str(c) for c in command], check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def figures(output):
    return {line.split()[0]: line.split()[1:] for line in output.splitlines() if line}


class Nginx:
    """A single nginx process with its own configuration on free loopback ports."""

    typed_call = "/drive/v3/files/small"
    # Pages by page token, and a token endpoint. Its tokens are so short-lived that x/oauth2 refreshes them for each
    # call.
    locations = (
        "location = /drive/v3/files { try_files /pages/$arg_pageToken /pages/1 =404; }\n"
        "location = /token { return 200 '{\"access_token\":\"ya29.$request_id\",\"token_type\":\"Bearer\","
        "\"expires_in\":5,\"refresh_token\":\"1//$request_id\"}'; }\n"
    )

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="tessera-nginx-")
        root = pathlib.Path(self.directory)
        root.chmod(0o755)
        self.port, self.tls_port = free_ports(2)
        (root / "small.json").write_text('{"kind": "drive#about", "user": {"displayName": "Ada"}}\n')
        (root / "small.json").chmod(0o644)
        small = root / self.typed_call.lstrip("/")
        small.parent.mkdir(parents=True)
        small.write_text('{"kind": "drive#file", "id": "small", "name": "Ada", "mimeType": "text/plain"}\n')
        # None without openssl, which disables TLS.
        self.certificate, self.key = make_certificate(root)
        tls = (f"listen 127.0.0.1:{self.tls_port} ssl http2; ssl_certificate {self.certificate}; ssl_certificate_key {self.key};"
               if self.certificate else "")
        (root / "nginx.conf").write_text(
            f"daemon off; master_process off; pid {root}/pid; error_log {root}/error.log;\n"
            "events { worker_connections 1024; }\n"
            "http { access_log off; keepalive_requests 100000000; default_type application/json;\n"
            + "".join(f"{kind}_temp_path {root}/{kind};" for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
            + f"\nserver {{ listen 127.0.0.1:{self.port}; {tls} root {root};\n{self.locations}}} }}\n"
        )
        self.process = subprocess.Popen(["nginx", "-p", root, "-c", root / "nginx.conf"], stderr=subprocess.DEVNULL)
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("nginx did not start")

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGQUIT)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.directory, ignore_errors=True)


class PostgreSQL:
    """A separate PostgreSQL server, created by the script of the tests."""

    script = HERE.parent / "Scripts" / "postgresql"

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="tessera-postgresql-")
        pathlib.Path(self.directory).chmod(0o755)
        self.facts = json.loads(run(self.script, "start", self.directory))
        folders = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
        self.programs = folders[-1] if folders else pathlib.Path(shutil.which("psql")).parent
        self.environment = {**os.environ, "PGPASSWORD": self.facts["password"]}
        self.address = ["-h", self.facts["host"], "-p", str(self.facts["port"]), "-U", self.facts["user"]]
        return self

    def __exit__(self, *_):
        run(self.script, "stop", self.directory)
        shutil.rmtree(self.directory, ignore_errors=True)

    def query(self, sql):
        words = [self.programs / "psql", *self.address, "-d", "postgres", "-qAt", "-c", sql]
        return run(*words, env=self.environment).strip()


def free_ports(count):
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [probe.getsockname()[1] for probe in probes]


def make_certificate(directory):
    """Creates a certificate for 127.0.0.1 and returns the paths of it and its key, or (None, None) without openssl."""
    if not shutil.which("openssl"):
        return None, None
    certificate, key = directory / "certificate.pem", directory / "key.pem"
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 1,
        "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-out", certificate, "-keyout", key,
        stderr=subprocess.DEVNULL)
    return certificate, key


def timed(*command):
    """Runs a program and returns its duration in seconds and its peak memory in MiB."""
    begin = time.monotonic()
    process = subprocess.Popen([str(word) for word in command])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command[0]} failed: {process.returncode}")
    return time.monotonic() - begin, usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def build_go(name):
    """Builds a program of native/ in Go. Returns None if Go or its packages are missing."""
    return built(name, "go", "build", "-o", NATIVE / name, HERE / f"native/{name}.go", env=GO_ENVIRONMENT)


def build_with_libcurl(name):
    """Builds a C program of native/ that uses libcurl. Returns None if libcurl's headers are missing."""
    return built(name, "cc", "-O2", "-o", NATIVE / name, HERE / f"native/{name}.c", "-lcurl")


def built(name, *command, **options):
    """Runs a compiler and returns the path of the program, or None if it cannot be built."""
    try:
        run(*command, stderr=subprocess.DEVNULL, **options)
        return NATIVE / name
    except (OSError, subprocess.CalledProcessError):
        return None
