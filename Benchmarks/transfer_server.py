# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""A loopback server that accepts uploads with PUT and Google's resumable protocol and discards them.

It prints its port and exits when its standard input is closed.

usage: transfer_server.py [CERTIFICATE KEY]
"""
import re
import socket
import ssl
import sys
import threading

BUFFER = 1 << 20


def respond(connection, status, *fields):
    connection.sendall("\r\n".join([f"HTTP/1.1 {status}", "Content-Length: 0", *fields, "", ""]).encode())


def serve(connection, port):
    buffer = bytearray(BUFFER)
    view = memoryview(buffer)
    pending = b""
    scheme = "https" if tls else "http"
    with tls.wrap_socket(connection, server_side=True) if tls else connection as connection:
        while True:
            while b"\r\n\r\n" not in pending:
                count = connection.recv_into(view)
                if count == 0:
                    return
                pending += bytes(view[:count])
            head, _, pending = pending.partition(b"\r\n\r\n")
            fields = head.decode().lower()
            length = re.search(r"\ncontent-length: (\d+)", fields)
            left = int(length[1]) if length else 0
            if "expect: 100-continue" in fields:
                connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            taken = min(left, len(pending))
            left, pending = left - taken, pending[taken:]
            while left > 0:
                count = connection.recv_into(view, min(BUFFER, left))
                if count == 0:
                    return
                left -= count
            piece = re.search(r"\ncontent-range: bytes \d+-(\d+)/(\d+|\*)", fields)
            if fields.startswith("post"):
                respond(connection, "200 OK", f"Location: {scheme}://127.0.0.1:{port}/session")
            elif piece and str(int(piece[1]) + 1) != piece[2]:
                respond(connection, "308 Resume Incomplete", f"Range: bytes=0-{piece[1]}")
            else:
                respond(connection, "200 OK")


tls = None
if len(sys.argv) > 1:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*sys.argv[1:3])
listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
print(port, flush=True)


def accept():
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection, port), daemon=True).start()


threading.Thread(target=accept, daemon=True).start()
sys.stdin.read()
