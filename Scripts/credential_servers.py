# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""A local server that plays Google's token services, the metadata server and AWS, and records all requests.

Clients send every request to it and name the original URL in the field X-Original-URL.
"""
import base64
import datetime
import http.server
import json
import re
import threading
import urllib.parse

ORIGINAL_URL = "X-Original-URL"
ROBOT = "robot@example-project.iam.gserviceaccount.com"
SCOPES = ["https://www.googleapis.com/auth/cloud-platform", "https://www.googleapis.com/auth/userinfo.email"]
# From the documentation of AWS. The keys are the IDs.
AWS_KEYS = {
    "AKIDEXAMPLE": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    "ASIARD4OQDT6A77FR3CL": "Y8AfSaucF37G4PpvfguKZ3/l7Id4uocLXxX0+VTx",
}
METADATA = {"Metadata-Flavor": "Google"}
NOT_FOUND = (404, {"error": {"code": 404, "message": "not found"}}, {})


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token(claims):
    """Returns a JWT whose signature is not valid. It does not depend on the time, so that responses are equal."""
    parts = [{"alg": "RS256", "kid": "server-key", "typ": "JWT"}, claims]
    return ".".join([base64url(json.dumps(part).encode()) for part in parts] + [base64url(b"signature")])


def id_token(audience):
    times = {"exp": 4102444800, "iat": 1700000000}
    return token({"aud": audience, "email": ROBOT, "iss": "https://google.example", **times})


def claims_of(assertion):
    payload = assertion.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))


class Services:
    """The responses. Each method returns a status, a body and fields."""

    def respond(self, method, url, fields, body):
        parts = urllib.parse.urlsplit(url)
        query = dict(urllib.parse.parse_qsl(parts.query))
        host, path = parts.hostname, urllib.parse.unquote(parts.path) or "/"
        name = host.split(".")[0]
        if path.startswith("/computeMetadata/"):
            return self.metadata(path.removeprefix("/computeMetadata/v1/"), query, fields)
        if path.startswith("/latest/"):
            return self.amazon(method, path.removeprefix("/latest/"), fields)
        if path == "/":
            return 200, "computeMetadata/", METADATA
        if path.endswith("/token") and (name == "oauth2" or host in ("www.googleapis.com", "accounts.google.com")):
            return self.oauth2(dict(urllib.parse.parse_qsl(body.decode())))
        if name == "sts":
            return self.sts(path)
        if name == "iamcredentials":
            return self.iam(path, json.loads(body))
        if name == "cloudresourcemanager":
            return 200, {"projectId": "project-" + path.rsplit("/", 1)[1], "lifecycleState": "ACTIVE"}, {}
        if path == "/metadata/identity/oauth2/token":
            return 200, "subject-token-from-url", {}
        if name == "storage":
            return 200, {"kind": "storage#bucket", "name": "example"}, {}
        return NOT_FOUND

    def oauth2(self, form):
        if form.get("grant_type") == "refresh_token":
            return 200, {"access_token": "user-token", "expires_in": 3599, "token_type": "Bearer"}, {}
        audience = claims_of(form["assertion"]).get("target_audience")
        if audience:
            return 200, {"id_token": id_token(audience)}, {}
        return 200, {"access_token": "service-account-token", "expires_in": 3599, "token_type": "Bearer"}, {}

    def sts(self, path):
        members = {"expires_in": 3600, "token_type": "Bearer"}
        if path == "/v1/oauthtoken":
            return 200, {"access_token": "workforce-user-token", **members}, {}
        kind = "urn:ietf:params:oauth:token-type:access_token"
        return 200, {"access_token": "exchanged-token", "issued_token_type": kind, **members}, {}

    def iam(self, path, body):
        match = re.fullmatch(r"/v1/projects/-/serviceAccounts/([^/:]+):(\w+)", path)
        if not match:
            return NOT_FOUND
        account, method = match.groups()
        if method == "generateAccessToken":
            expiration = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
            return 200, {"accessToken": f"token-of-{account}", "expireTime": f"{expiration:%Y-%m-%dT%H:%M:%SZ}"}, {}
        if method == "generateIdToken":
            return 200, {"token": id_token(body.get("audience"))}, {}
        if method == "signBlob":
            signature = base64.b64encode(b"signed by " + account.encode()).decode()
            return 200, {"keyId": "server-key", "signedBlob": signature}, {}
        if method == "signJwt":
            return 200, {"keyId": "server-key", "signedJwt": token(json.loads(body["payload"]))}, {}
        return NOT_FOUND

    def metadata(self, path, query, fields):
        if fields.get("metadata-flavor") != "Google":
            return 403, "Missing Metadata-Flavor: Google header.", METADATA
        account = {"aliases": ["default"], "email": ROBOT, "scopes": SCOPES}
        match = re.fullmatch(r"instance/service-accounts/([^/]+)/(\w*)", path)
        if path == "project/project-id":
            return 200, "machine-project", METADATA
        if path == "universe/universe-domain":
            return 200, "googleapis.com", METADATA
        if match and match[1] in ("default", ROBOT):
            if match[2] == "":
                return 200, account, METADATA
            if match[2] == "email":
                return 200, ROBOT, METADATA
            if match[2] == "token":
                return 200, {"access_token": "machine-token", "expires_in": 3599, "token_type": "Bearer"}, METADATA
            if match[2] == "identity" and "audience" in query:
                return 200, id_token(query["audience"]), METADATA
        return 404, "not found", METADATA

    def amazon(self, method, path, fields):
        if path == "api/token" and method == "PUT":
            return 200, "imds-session", {}
        if path == "meta-data/placement/availability-zone":
            return 200, "us-east-2b", {}
        if path == "meta-data/iam/security-credentials":
            return 200, "example-role", {}
        if path == "meta-data/iam/security-credentials/example-role":
            key = "ASIARD4OQDT6A77FR3CL"
            return 200, {
                "Code": "Success", "Type": "AWS-HMAC", "AccessKeyId": key, "SecretAccessKey": AWS_KEYS[key],
                "Token": "imds/session+token=", "LastUpdated": "2026-01-01T00:00:00Z",
                "Expiration": "2099-01-01T00:00:00Z",
            }, {}
        return 404, "not found", {}


class Server(http.server.ThreadingHTTPServer):
    """The server, which listens on a free port of the loopback address until the process ends."""
    daemon_threads = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock = threading.Lock()
        self.reset({})
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server_address[1]

    def reset(self, responses):
        """Removes the recorded requests. `responses` replaces responses by the URL without query."""
        with self.lock:
            self.requests = []
            self.errors = []
            # A list of lists is a sequence of responses, of which the last one is repeated.
            self.responses = {
                url: [list(one) for one in (value if isinstance(value[0], list) else [value])]
                for url, value in responses.items()
            }

    def respond(self, method, url, fields, body):
        with self.lock:
            self.requests.append({"method": method, "url": url, "fields": fields, "body": body})
            queue = self.responses.get(url.split("?")[0].rstrip("/")) or self.responses.get(url.split("?")[0])
            if queue:
                status, content, *others = queue.pop(0) if len(queue) > 1 else queue[0]
                return status, content, others[0] if others else {}
        try:
            return Services().respond(method, url, fields, body)
        except Exception as error:
            self.errors.append(f"{method} {url}: {error!r}")
            return 500, {"error": {"message": "the server does not understand the request"}}, {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Otherwise, the body waits for the acknowledgement of the head.
    disable_nagle_algorithm = True
    wbufsize = -1

    def handle_request(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        fields = {name.lower(): value for name, value in self.headers.items()}
        url = fields.pop(ORIGINAL_URL.lower(), f"http://{self.headers.get('Host')}{self.path}")
        status, content, others = self.server.respond(self.command, url, fields, body)
        is_text = isinstance(content, str)
        data = (content if is_text else json.dumps(content)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain" if is_text else "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in others.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_DELETE = handle_request

    def log_message(self, form, *arguments):
        pass
