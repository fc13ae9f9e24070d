# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""The authorization server of Scripts/partitions, which records each refresh token it receives and its response.

usage: partition_provider.py ADDRESS PORT ISSUER FOLDER HISTORY [--reuse-detection]

It signs users in without a page: the account is the request's login_hint. Access tokens are valid for 2 seconds, and each
refresh replaces the refresh token. A refresh token that was replaced is rejected with invalid_grant, and with
--reuse-detection, the account's current refresh token is then revoked, too.

Each line on standard input is a JSON object with a mode for the following refreshes: normal; unavailable (503) or throttled
(429), before the refresh token is used; or slow, with a delay in seconds. Two modes affect only the next refresh that succeeds:
lost, which uses the refresh token and closes the connection without a response, and cut, which sends half of the response.
"""
import base64
import hashlib
import http.server
import json
import pathlib
import socketserver
import subprocess
import sys
import threading
import time
import urllib.parse

import partition_history

LIFETIME = 2


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Key:
    """An RSA key that signs ID tokens."""

    def __init__(self, folder):
        self.path = str(folder / "provider.pem")
        subprocess.run(["openssl", "genrsa", "-out", self.path, "2048"], check=True, capture_output=True)
        line = subprocess.run(["openssl", "rsa", "-in", self.path, "-noout", "-modulus"], check=True, capture_output=True)
        modulus = bytes.fromhex(line.stdout.decode().strip().partition("=")[2])
        self.public = {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "1", "n": encoded(modulus), "e": "AQAB"}

    def sign(self, claims):
        header = {"alg": "RS256", "kid": "1"}
        text = ".".join(encoded(json.dumps(part).encode()) for part in (header, claims))
        command = ["openssl", "dgst", "-sha256", "-sign", self.path, "-binary"]
        return text + "." + encoded(subprocess.run(command, input=text.encode(), check=True, capture_output=True).stdout)


class Provider:
    """The accounts and their tokens."""

    def __init__(self, issuer, key, history, reuse_detection):
        self.issuer, self.key, self.history, self.reuse_detection = issuer, key, history, reuse_detection
        self.lock = threading.Lock()
        self.codes = {}
        self.families = {}
        self.current = {}
        self.mode = {"mode": "normal"}

    def authorize(self, query):
        """Returns the redirect of an authorization request."""
        code = encoded(hashlib.sha256(query["state"].encode()).digest())
        self.codes[code] = query
        separator = "&" if "?" in query["redirect_uri"] else "?"
        parameters = urllib.parse.urlencode({"code": code, "state": query["state"], "iss": self.issuer})
        return query["redirect_uri"] + separator + parameters

    def signed_in(self, form):
        query = self.codes.pop(form["code"])
        account = query["login_hint"]
        with self.lock:
            family = self.families[account] = self.families.get(account, 0) + 1
            response = self.tokens(account, family, 0)
        now = int(time.time())
        claims = {"iss": self.issuer, "sub": account, "aud": query["client_id"], "iat": now, "exp": now + 3600}
        response["id_token"] = self.key.sign({**claims, "nonce": query.get("nonce")})
        self.history.add("signed-in", account=account, family=family)
        return response

    def tokens(self, account, family, number):
        refresh_token = partition_history.new_token("r", account, family, number)
        self.current[account] = refresh_token
        return {
            "access_token": partition_history.new_token("a", account, family, number), "token_type": "Bearer",
            "expires_in": LIFETIME, "refresh_token": refresh_token, "scope": "openid",
        }

    def refresh(self, token, host):
        """Returns the status and body of a response to a refresh, and records the request."""
        account, family, number = partition_history.token_parts(token)
        mode = self.mode["mode"]
        known = {"account": account, "family": family, "number": number, "host": host}
        if mode in ("unavailable", "throttled"):
            self.history.add("refresh", **known, result=mode)
            return (503 if mode == "unavailable" else 429), {"error": "temporarily_unavailable"}
        with self.lock:
            if self.current.get(account) == token:
                response = self.tokens(account, family, number + 1)
                self.history.add("refresh", **known, result="rotated")
                return 200, response
            if self.reuse_detection and self.families.get(account) == family:
                self.current.pop(account, None)
            self.history.add("refresh", **known, result="invalid_grant")
        return 400, {"error": "invalid_grant"}

    def take_mode(self):
        """Returns the mode for a refresh that succeeded, and ends it if it affects only one refresh."""
        with self.lock:
            mode = self.mode["mode"]
            if mode in ("lost", "cut"):
                self.mode = {"mode": "normal"}
            return mode


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def respond(self, status, body, headers=(), half=False):
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data[:len(data) // 2] if half else data)
        self.close_connection = True

    def do_GET(self):
        provider = self.server.provider
        path, _, query = self.path.partition("?")
        if path == "/authorize":
            return self.respond(302, {}, [("Location", provider.authorize(dict(urllib.parse.parse_qsl(query))))])
        if path == "/jwks":
            return self.respond(200, {"keys": [provider.key.public]})
        if path == "/.well-known/openid-configuration":
            return self.respond(200, {
                "issuer": provider.issuer, "authorization_endpoint": provider.issuer + "/authorize",
                "token_endpoint": provider.issuer + "/token", "jwks_uri": provider.issuer + "/jwks",
                "response_types_supported": ["code"], "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"], "code_challenge_methods_supported": ["S256"],
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "token_endpoint_auth_methods_supported": ["none"],
                "authorization_response_iss_parameter_supported": True,
            })
        return self.respond(404, {})

    def do_POST(self):
        provider = self.server.provider
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        form = dict(urllib.parse.parse_qsl(body))
        if form.get("grant_type") == "authorization_code":
            return self.respond(200, provider.signed_in(form), [("Cache-Control", "no-store")])
        if provider.mode["mode"] == "slow":
            time.sleep(provider.mode["delay"])
        status, response = provider.refresh(form.get("refresh_token"), self.client_address[0])
        mode = provider.take_mode() if status == 200 else None
        if mode == "lost":
            self.close_connection = True
            return None
        # The time is correct, so that clients whose clock is wrong find out by how much.
        headers = [("Cache-Control", "no-store"), ("Retry-After", "1")] if status > 400 else [("Cache-Control", "no-store")]
        return self.respond(status, response, headers, half=mode == "cut")


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128


def main():
    address, port, issuer, folder, history = sys.argv[1:6]
    folder = pathlib.Path(folder)
    provider = Provider(issuer, Key(folder), partition_history.History(history), "--reuse-detection" in sys.argv)
    server = Server((address, int(port)), Handler)
    server.provider = provider
    partition_history.commands(lambda command: setattr(provider, "mode", command))
    print("ready", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
