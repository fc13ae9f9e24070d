# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Compares uploads and downloads of a large file, each in its own process, with the curl program."""
import filecmp
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

from harness import HERE, Nginx, timed

PIECE = 8 << 20
RATE_BAR = 0.9
MEMORY_BAR = 48


class Sink:
    """A server that discards uploads, with TLS if it gets a certificate and its key."""

    def __init__(self, *certificate):
        self.certificate = certificate

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, HERE / "transfer_server.py", *self.certificate], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


def measure_transfer(table, programs):
    if missing := [name for name in ["nginx", "curl"] if not shutil.which(name)]:
        return table.skip("transfers", f"not installed: {', '.join(missing)}")
    size = 4 << 20 if table.smoke else 1 << 30
    # Use memory if possible, because the benchmark measures the network and not a disk.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with Nginx() as nginx, tempfile.TemporaryDirectory(dir=memory) as directory:
        os.chmod(directory, 0o755)
        source = pathlib.Path(directory) / "source"
        with open(source, "wb") as file:
            for _ in range(size // (1 << 20)):
                file.write(os.urandom(1 << 20))
        with open(source, "rb") as file:
            for number in range(max(1, size // PIECE)):
                (pathlib.Path(directory) / f"piece-{number}").write_bytes(file.read(PIECE))
        (pathlib.Path(nginx.directory) / "served").symlink_to(source)
        program = programs / "measure-transfer"
        with Sink() as sink:
            compare(table, program, source, "", f"http://127.0.0.1:{sink.port}", f"http://127.0.0.1:{nginx.port}")
        if not nginx.certificate:
            return table.skip("transfers, TLS", "openssl is not installed")
        with Sink(nginx.certificate, nginx.key) as sink:
            servers = f"https://127.0.0.1:{sink.port}", f"https://127.0.0.1:{nginx.tls_port}"
            compare(table, program, source, ", TLS", *servers, nginx.certificate)


def compare(table, program, source, suffix, sink, server, certificate=None):
    """Measures both uploads and the download, each in turns with curl."""
    size, copy = source.stat().st_size, source.parent / "copy"
    pieces = max(1, size // PIECE)
    trust, curl_trust = ([certificate], ["--cacert", certificate]) if certificate else ([], [])
    # Both use HTTP/1.1.
    curl = ["curl", "-sSf", "--http1.1", *curl_trust]
    put = [*curl, "-o", "/dev/null", "-H", "Expect:", f"{sink}/upload", "-T"]
    commands = [
        ("upload, one piece", [program, "upload", f"{sink}/upload", source, 0, *trust], [*put, source]),
        # curl sends one PUT per piece in sequence on one connection.
        ("upload, pieces of 8 MiB", [program, "upload", f"{sink}/upload", source, PIECE, *trust],
         [*put, source.parent / f"piece-[0-{pieces - 1}]"]),
        ("download to a file", [program, "download", f"{server}/served", copy, 0, *trust],
         [*curl, "-o", copy, f"{server}/served"]),
    ]
    for what, own_command, peer_command in commands:
        ratios, rates, most = [], [], 0
        for number in range(1 if table.smoke else 15):
            own_first = number % 2 == 0
            pair = []
            for command in [own_command, peer_command] if own_first else [peer_command, own_command]:
                # Each command writes a new file, because overwriting a file in memory is much faster on some machines.
                copy.unlink(missing_ok=True)
                pair.append(timed(*command))
            first, second = pair
            own, peer = (first, second) if own_first else (second, first)
            ratios.append(peer[0] / own[0])
            rates.append((size / own[0] / 1e6, size / peer[0] / 1e6))
            most = max(most, own[1])
        own, peer = (statistics.median(values) for values in zip(*rates))
        ratio = statistics.median(ratios)
        table.add(f"{what} of {size >> 20} MiB{suffix}, MB/s; peer: curl", f"{own:,.0f}", f"{peer:,.0f}", f"{ratio:.3f}",
                  f"≥ {RATE_BAR}", ratio >= RATE_BAR)
        table.add("  peak memory, MiB", f"{most:.0f}", bar=f"≤ {MEMORY_BAR} MiB", ok=most <= MEMORY_BAR)
    # Compare in parts, because the memory of this process also counts for the programs that it starts.
    if not filecmp.cmp(source, copy, shallow=False):
        raise RuntimeError("the downloaded file differs from the served file")
