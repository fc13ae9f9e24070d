# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Forwards the connections of a client host of Scripts/partitions, and records what is sent through them.

usage: partition_proxy.py HOST PROVIDER_ADDRESS PROVIDER_PORT PRIMARY_ADDRESS PRIMARY_PORT KEY_FILE HISTORY

Listens on 127.0.0.1 on both ports. Records each refresh token that is sent, each response that arrives completely, and each
statement of the PostgreSQL store with its result. An event is recorded before its last byte is forwarded.

Each line on standard input is a JSON object: {"delay": SECONDS} delays each packet in both directions, {"primary": ADDRESS}
forwards new connections to another database server and closes the others, and {"reset": "provider" or "postgresql"} closes
connections without a warning.
"""
import re
import socket
import struct
import sys
import threading
import time
import urllib.parse

import partition_history
import partition_records

STATEMENTS = ("take", "renew", "release", "load", "save", "mark", "remove")


class HTTPWatcher:
    """Records refreshes in the bytes of an HTTP connection with a single request."""

    def __init__(self, proxy, number):
        self.proxy, self.number = proxy, number
        self.opened = time.monotonic()
        self.sent, self.received = b"", b""
        self.token = None
        self.is_complete = False

    @staticmethod
    def body(data):
        """Returns the status line and the body of a complete message, or None."""
        head, separator, body = data.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        if not separator or not length or len(body) < int(length[1]):
            return None
        return head.split(b"\r\n")[0].decode(), body.decode()

    def client(self, data):
        if self.token:
            return
        self.sent += data
        message = self.body(self.sent)
        if not message:
            return
        token = dict(urllib.parse.parse_qsl(message[1])).get("refresh_token")
        self.token = token and partition_history.token_parts(token)
        if self.token:
            # The connection to the provider may have taken longer than the process lived.
            self.add("refresh-sent", opened=round(self.opened, 6))

    def server(self, data):
        self.received += data
        if not self.token or self.is_complete:
            return
        message = self.body(self.received)
        if message:
            self.is_complete = True
            response = re.search(r'"refresh_token": *"([^"]+)"', message[1])
            following = response and partition_history.token_parts(response[1])
            self.add("refresh-response", status=int(message[0].split()[1]), next=following and following[2])

    def closed(self):
        if self.token and not self.is_complete:
            self.add("refresh-cut")

    def add(self, event, **fields):
        account, family, number = self.token
        self.proxy.history.add(event, request=self.number, account=account, family=family, number=number, **fields)


class PostgreSQLWatcher:
    """Records the statements of the store and their results in the bytes of a connection to PostgreSQL."""

    def __init__(self, proxy, number):
        self.proxy, self.number = proxy, number
        self.sent, self.received = b"", b""
        self.is_started = False
        self.database = None
        self.pending = None
        self.rows, self.error = [], None

    def client(self, data):
        self.sent += data
        while True:
            offset = 1 if self.is_started else 0
            if len(self.sent) < offset + 4:
                return
            length, = struct.unpack_from(">i", self.sent, offset)
            if len(self.sent) < offset + length:
                return
            message, self.sent = self.sent[:offset + length], self.sent[offset + length:]
            if not self.is_started:
                fields = message[8:].split(b"\0")
                parameters = dict(zip(fields[::2], fields[1::2]))
                self.database = parameters.get(b"database", b"").decode()
                self.is_started = True
            elif message[:1] == b"B":
                self.bind(message[5:])

    def bind(self, body):
        _, _, body = body.partition(b"\0")
        name, _, body = body.partition(b"\0")
        name = name.decode().removeprefix("tessera_")
        formats, = struct.unpack_from(">h", body)
        offset = 2 + 2 * formats
        count, = struct.unpack_from(">h", body, offset)
        offset += 2
        values = []
        for _ in range(count):
            length, = struct.unpack_from(">i", body, offset)
            offset += 4
            values.append(None if length < 0 else body[offset:offset + max(0, length)])
            offset += max(0, length)
        if name not in STATEMENTS:
            return
        fields = {"statement": name, "account": self.database}
        if name != "load":
            fields["owner"] = values[1].hex()
        record = {"save": 8, "mark": 4}.get(name)
        if record is not None:
            fields["record"] = self.proxy.contents(values[record])
        at = self.proxy.history.add("statement", number=self.number, **fields)
        self.pending = {**fields, "sent": round(at, 6)}
        self.rows, self.error = [], None

    def server(self, data):
        self.received += data
        while len(self.received) >= 5:
            # The response to a request for encryption is a single byte, but the clients do not request it.
            length, = struct.unpack_from(">i", self.received, 1)
            if len(self.received) < 1 + length:
                return
            kind, body = self.received[:1], self.received[5:1 + length]
            self.received = self.received[1 + length:]
            if kind == b"D":
                self.rows.append(self.row(body))
            elif kind == b"E":
                fields = {part[:1]: part[1:].decode() for part in body.split(b"\0") if part}
                self.error = fields.get(b"C")
            elif kind == b"Z" and self.pending:
                self.result()

    @staticmethod
    def row(body):
        count, = struct.unpack_from(">h", body)
        offset, values = 2, []
        for _ in range(count):
            length, = struct.unpack_from(">i", body, offset)
            offset += 4
            values.append(None if length < 0 else body[offset:offset + max(0, length)])
            offset += max(0, length)
        return values

    def result(self):
        pending, self.pending = self.pending, None
        fields = {}
        if pending["statement"] == "load" and self.rows:
            fields["record"] = self.proxy.contents(self.rows[0][1])
        elif pending["statement"] != "load":
            # Whether the lease was held, and whether the row was written.
            fields["done"] = bool(self.rows) and all(value == b"\1" for value in self.rows[0])
        if self.error:
            fields["error"] = self.error
        self.proxy.history.add("result", number=self.number, **{**pending, **fields})

    def closed(self):
        if self.pending:
            self.proxy.history.add("unknown", number=self.number, **self.pending)
            self.pending = None


class Proxy:
    """The forwarded connections of one host."""

    def __init__(self, arguments):
        host, self.provider, self.provider_port, self.primary, self.primary_port, self.key_file, history = arguments
        self.history = partition_history.History(history, host=host)
        self.delay = 0
        self.lock = threading.Lock()
        self.number = 0
        self.open = {"provider": set(), "postgresql": set()}

    def contents(self, sealed):
        try:
            return partition_records.contents(sealed, self.key_file)
        except (OSError, ValueError, KeyError) as error:
            return {"digest": partition_records.digest(sealed), "unreadable": str(error)}

    def apply(self, command):
        if "delay" in command:
            self.delay = command["delay"]
        if "primary" in command:
            self.primary = command["primary"]
            self.reset("postgresql")
        if "reset" in command:
            self.reset(command["reset"])

    def reset(self, kind):
        with self.lock:
            sockets = list(self.open[kind])
        for pair in sockets:
            for link in pair:
                try:
                    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    link.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def listen(self, kind, port):
        server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("127.0.0.1", int(port)))
        server.listen(128)
        threading.Thread(target=self.accept, args=(kind, server), daemon=True).start()

    def accept(self, kind, server):
        while True:
            client, _ = server.accept()
            threading.Thread(target=self.forward, args=(kind, client), daemon=True).start()

    def forward(self, kind, client):
        with self.lock:
            self.number += 1
            number = self.number
        is_provider = kind == "provider"
        watcher = HTTPWatcher(self, number) if is_provider else PostgreSQLWatcher(self, number)
        address = (self.provider, self.provider_port) if is_provider else (self.primary, self.primary_port)
        pair = (client, socket.socket(socket.AF_INET, socket.SOCK_STREAM))
        with self.lock:
            self.open[kind].add(pair)
        try:
            pair[1].settimeout(10)
            pair[1].connect((address[0], int(address[1])))
            pair[1].settimeout(None)
            for link in pair:
                link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            back = threading.Thread(target=self.pump, args=(pair[1], client, watcher.server), daemon=True)
            back.start()
            self.pump(client, pair[1], watcher.client)
            back.join()
        except OSError:
            pass
        finally:
            watcher.closed()
            with self.lock:
                self.open[kind].discard(pair)
            for link in pair:
                link.close()

    def pump(self, source, target, watch):
        try:
            while data := source.recv(65536):
                if watch.__name__ == "client":
                    watch(data)
                if self.delay:
                    time.sleep(self.delay)
                if watch.__name__ == "server":
                    watch(data)
                target.sendall(data)
        except OSError:
            pass
        for link, how in ((target, socket.SHUT_WR), (source, socket.SHUT_RD)):
            try:
                link.shutdown(how)
            except OSError:
                pass


def main():
    proxy = Proxy(sys.argv[1:8])
    partition_history.commands(proxy.apply)
    proxy.listen("provider", proxy.provider_port)
    proxy.listen("postgresql", proxy.primary_port)
    print("ready", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
