# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Compares the start of a program until the first token for a service account's key with google-auth."""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile

from harness import NATIVE, Nginx, run

KEY_SCRIPT = """
import sys
from google.auth.transport.requests import Request
from google.oauth2.service_account import Credentials
credentials = Credentials.from_service_account_file(sys.argv[1], scopes=[sys.argv[2]])
credentials.refresh(Request())
print(credentials.token)
"""
SCOPE = "https://www.googleapis.com/auth/drive.readonly"
WHAT = "key to first token, ms; peer: google-auth"


def measure_credentials(table, command, python):
    """Measures processes that read a key, sign an assertion, and exchange it for a token at a local nginx."""
    for program, package in [("nginx", "nginx-light"), ("openssl", "openssl")]:
        if not shutil.which(program):
            return table.skip(WHAT, f"{program} is not installed (Debian: {package})")
    if not python:
        return table.skip(WHAT, "google-auth and requests could not be installed from PyPI")
    with tempfile.TemporaryDirectory(prefix="tessera-key-") as directory, Nginx() as nginx:
        home = pathlib.Path(directory)
        origin = f"http://127.0.0.1:{nginx.port}"
        key = write_key(home, f"{origin}/token")
        script = home / "print_key_token.py"
        script.write_text(KEY_SCRIPT)
        commands = {
            "tessera": [command, "token", "--credentials", key, "--scope", SCOPE, "--trusted-origin", origin],
            "google-auth": [python, script, key, SCOPE],
        }
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("GOOGLE_", "TESSERA_"))},
            "HOME": directory, "NO_PROXY": "127.0.0.1",
        }
        for words in commands.values():
            if not run(*words, env=environment).startswith("ya29."):
                raise RuntimeError(f"{words[0]} printed no token")
        times = {name: [] for name in commands}
        for _ in range(3 if table.smoke else 20):
            for name, words in commands.items():
                times[name].append(float(run(NATIVE / "time_command", *words, env=environment)) / 1000)
    own, peer = (statistics.median(times[name]) for name in ["tessera", "google-auth"])
    table.add(WHAT, f"{own:.1f}", f"{peer:.1f}", f"{peer / own:.1f}", "≥ 10", peer / own >= 10)


def write_key(directory, token_uri):
    """Writes a service account's key file with a new RSA key, and returns its path."""
    words = ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
    pem = run("openssl", *words, stderr=subprocess.DEVNULL)
    path = directory / "key.json"
    path.touch(mode=0o600)
    path.write_text(json.dumps({
        "type": "service_account", "project_id": "bench", "private_key_id": "1", "private_key": pem,
        "client_email": "worker@bench.iam.gserviceaccount.com", "client_id": "1", "token_uri": token_uri,
    }))
    return path
