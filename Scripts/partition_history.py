# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""The history files of Scripts/partitions, the names of tokens, and commands from the script to its servers.

Each process appends JSON objects to its own file. All processes run on one machine, so the times of their monotonic clock
can be compared.
"""
import json
import os
import re
import sys
import threading
import time

# The name of a token contains the account, the number of the account's sign-in, and the number of refreshes since then.
TOKEN = re.compile(r"([ra])-(\w+)-(\d+)-(\d+)-[0-9a-f]{8}")


def new_token(kind, account, family, number):
    return f"{kind}-{account}-{family}-{number}-{os.urandom(4).hex()}"


def token_parts(token):
    """Returns the account, family and number of a token, or None."""
    match = TOKEN.fullmatch(token or "")
    return (match[2], int(match[3]), int(match[4])) if match else None


class History:
    """A file to which events are appended."""

    def __init__(self, path, **constant):
        self.file = open(path, "a", buffering=1, encoding="utf-8")
        self.lock = threading.Lock()
        self.constant = constant

    def add(self, event, **fields):
        now = time.monotonic()
        with self.lock:
            self.file.write(json.dumps({"at": round(now, 6), "event": event, **self.constant, **fields}) + "\n")
        return now


def read(paths):
    """Returns the events of several files, ordered by time."""
    events = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in file:
                # The last line of a killed process can be incomplete.
                if line.endswith("\n"):
                    events.append(json.loads(line))
    return sorted(events, key=lambda event: event["at"])


def commands(apply):
    """Calls a function for each JSON object on standard input, in a thread, and exits at the end of the input."""
    def run():
        for line in sys.stdin:
            apply(json.loads(line))
        os._exit(0)
    threading.Thread(target=run, daemon=True).start()
