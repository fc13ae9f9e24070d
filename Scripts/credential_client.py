# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Uses google-auth as a case describes, with all requests sent to the local server.

Each case runs in a child process, which inherits the imported modules. Only the module for the metadata server reads
variables when it is imported, so the child process imports it again.
"""
import gc
import importlib
import json
import logging
import os
import sys
import time
import traceback
import urllib.parse
import warnings

import google.auth
import requests
from google.auth import aws, downscoped, external_account_authorized_user, iam, identity_pool  # noqa: F401
from google.auth import compute_engine, impersonated_credentials, pluggable
from google.auth.compute_engine import _metadata
from google.auth.transport.requests import AuthorizedSession, Request
from google.oauth2 import credentials as user_credentials, gdch_credentials, id_token, service_account  # noqa: F401

from credential_servers import ORIGINAL_URL

API = "https://storage.{universe}/storage/v1/b/example"


def reroute(port):
    """Sends the requests of all sessions to the server, which is told the original URL."""
    send = requests.Session.send

    def send_to_server(session, request, **options):
        request.headers[ORIGINAL_URL] = request.url
        parts = urllib.parse.urlsplit(request.url)
        request.headers["Host"] = parts.netloc
        request.url = urllib.parse.urlunsplit(("http", f"127.0.0.1:{port}", parts.path or "/", parts.query, ""))
        options["proxies"] = {}
        return send(session, request, **options)

    requests.Session.send = send_to_server


class Client:
    def __init__(self, job):
        self.job = job
        self.request = Request()

    def credentials(self):
        """Returns the credentials and the project."""
        job = self.job
        scopes = job["scopes"] or None
        if job["source"] == "machine":
            return compute_engine.Credentials(scopes=scopes), None
        if job["source"] == "default":
            return google.auth.default(scopes=scopes, quota_project_id=job["quota_project"])
        if job["interactive"]:
            credentials = pluggable.Credentials.from_file(job["file"], scopes=scopes, interactive=True)
            return credentials, credentials.get_project_id(self.request)
        return google.auth.load_credentials_from_file(
            job["file"], scopes=scopes, quota_project_id=job["quota_project"]
        )

    def derived(self):
        credentials, project = self.credentials()
        job = self.job
        if job["subject"]:
            credentials = credentials.with_subject(job["subject"])
        if job["self_signed"]:
            credentials = credentials.with_always_use_jwt_access(True)
            if job["self_signed"] != "scopes":
                credentials._create_self_signed_jwt(job["self_signed"])
        if job["impersonate"]:
            target = job["impersonate"]
            credentials = impersonated_credentials.Credentials(
                credentials, target["email"], target["scopes"], delegates=target.get("delegates"),
                lifetime=target.get("lifetime", 3600), subject=target.get("subject"),
            )
        if job["downscope"] is not None:
            credentials = self.downscoped(credentials)
        return credentials, project

    def downscoped(self, credentials):
        rules = []
        for rule in self.job["downscope"]:
            condition = rule.get("availabilityCondition")
            rules.append(downscoped.AccessBoundaryRule(
                rule["availableResource"], rule["availablePermissions"],
                condition and downscoped.AvailabilityCondition(**condition),
            ))
        return downscoped.Credentials(credentials, downscoped.CredentialAccessBoundary(rules))

    def access_token(self):
        credentials, project = self.derived()
        if not credentials.valid:
            credentials.refresh(self.request)
        return {"token": credentials.token, "project": project}

    def call(self):
        credentials, project = self.derived()
        universe = getattr(credentials, "universe_domain", "googleapis.com")
        if self.job["source"] == "machine":
            universe = "googleapis.com"
        AuthorizedSession(credentials).get(API.format(universe=universe)).raise_for_status()
        return {"token": credentials.token, "project": project}

    def sign(self):
        credentials, project = self.derived()
        if isinstance(credentials, compute_engine.Credentials):
            # The signer requires one of two scopes and leaves the choice to the caller.
            credentials = credentials.with_universe_domain("googleapis.com").with_scopes(iam._IAM_SCOPE)
            credentials.refresh(self.request)
            signer = iam.Signer(self.request, credentials, credentials.service_account_email)
            signature = signer.sign(self.job["bytes"].encode())
        else:
            signature = credentials.sign_bytes(self.job["bytes"].encode())
        return {"signature": signature.hex(), "project": project}

    def id_token(self):
        return {"token": self.id_token_credentials()}

    def id_token_credentials(self):
        job = self.job
        audience = job["audience"]
        if job["impersonate"]:
            credentials = impersonated_credentials.IDTokenCredentials(
                self.derived()[0], audience, include_email=job["include_email"]
            )
        elif job["include_licenses"]:
            # IDTokenCredentials has no option for this.
            path = "instance/service-accounts/default/identity"
            options = {"audience": audience, "format": "full", "licenses": "TRUE"}
            return _metadata.get(self.request, path, params=options)
        elif job["source"] == "machine":
            credentials = compute_engine.IDTokenCredentials(None, audience, use_metadata_identity_endpoint=True)
        elif job["source"] == "load":
            credentials = service_account.IDTokenCredentials.from_service_account_file(
                job["file"], target_audience=audience
            )
        else:
            credentials = id_token.fetch_id_token_credentials(audience, self.request)
        credentials.refresh(self.request)
        return credentials.token


def run(job):
    """Returns the result, or the error, of a case."""
    # Repeated requests wait.
    time.sleep = lambda seconds: None
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    reroute(job["port"])
    try:
        return getattr(Client(job), job["operation"])()
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}


def run_in_child(job):
    """Runs a case in a child process with the environment of the case."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1):
            os.dup2(nothing, descriptor)
        os.environ.clear()
        os.environ.update(job["environment"])
        importlib.reload(_metadata)
        with os.fdopen(writing, "w") as output:
            json.dump(run(job), output)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        output = pipe.read()
    os.waitpid(child, 0)
    return json.loads(output or '{"error": "the process ended without a result"}')


def serve():
    """Runs each case that is a line of standard input, and prints a line with its result."""
    # The garbage collector would copy the memory that child processes share.
    gc.disable()
    gc.freeze()
    for line in sys.stdin:
        print(json.dumps(run_in_child(json.loads(line))), flush=True)
