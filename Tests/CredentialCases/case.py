# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""A case of the comparison with google-auth, and the contents of credential files.

In all texts, {dir} is the directory of the case. In JSON files, the texts {pkcs8}, {pkcs1} and {certificate} are
replaced by keys and certificates that are generated for each run.
"""
import dataclasses

CLOUD = "https://www.googleapis.com/auth/cloud-platform"
STORAGE = "https://www.googleapis.com/auth/devstorage.read_only"
ROBOT = "robot@example-project.iam.gserviceaccount.com"
TARGET = "target@example-project.iam.gserviceaccount.com"
MIDDLE = "middle@example-project.iam.gserviceaccount.com"
UNIVERSE = "universe.example"
WORKLOAD = "//iam.googleapis.com/projects/123456789/locations/global/workloadIdentityPools/pool/providers/provider"
WORKFORCE = "//iam.googleapis.com/locations/global/workforcePools/pool/providers/provider"
TOKEN_TYPES = "urn:ietf:params:oauth:token-type:"
IMPERSONATION = f"https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/{TARGET}:generateAccessToken"
# The environment of cases that must not detect a metadata server.
NO_MACHINE = {"NO_GCE_CHECK": "true"}
GCLOUD_FILE = "home/.config/gcloud/application_default_credentials.json"
# The variables that a program for subject tokens is started with, without their common prefix.
PROGRAM_VARIABLES = ("AUDIENCE", "TOKEN_TYPE", "INTERACTIVE", "REVOKE", "OUTPUT_FILE", "ID", "IMPERSONATED_EMAIL")
# Prints the project like `gcloud config get project`.
GCLOUD = """#!/bin/sh
config=${CLOUDSDK_CONFIG:-$HOME/.config/gcloud}
name=${CLOUDSDK_ACTIVE_CONFIG_NAME:-$(cat "$config/active_config" 2>/dev/null || echo default)}
project=${CLOUDSDK_CORE_PROJECT:-$(
    sed -n '/^\\[core\\]/,/^\\[[^c]/s/^project *= *//p' "$config/configurations/config_$name" 2>/dev/null
)}
printf '%s\\n' "$project"
"""


@dataclasses.dataclass(frozen=True)
class Case:
    """One set of files and variables, and what both clients do with them.

    Both clients find the project first, like google.auth.default(), except for ID tokens.
    """
    name: str
    # The contents of {dir}/credentials.json, which GOOGLE_APPLICATION_CREDENTIALS names if `source` is "default".
    file: object = None
    # Other files: an object is written as JSON, and a text that begins with #! is made executable.
    files: dict = dataclasses.field(default_factory=dict)
    env: dict = dataclasses.field(default_factory=dict)
    # access_token, id_token, sign or call (a request to an API).
    operation: str = "access_token"
    # default (Application Default Credentials), load (credentials.json), or machine (the metadata server).
    source: str = "default"
    scopes: tuple = (CLOUD,)
    audience: str = None
    include_email: bool = False
    include_licenses: bool = False
    subject: str = None
    universe: str = None
    quota_project: str = None
    # Sign tokens with the key instead of exchanging a JWT: "scopes", or the audience.
    self_signed: str = None
    # Run an executable in interactive mode.
    interactive: bool = False
    # email, scopes, and optionally delegates, lifetime and subject.
    impersonate: dict = None
    # The rules of an access boundary.
    downscope: list = None
    # Responses of the servers by the URL without query: [status, body] or [status, body, fields].
    responses: dict = dataclasses.field(default_factory=dict)
    # Both clients must fail: "before" any request, or "after" equal requests.
    fails: str = None
    # Why Tessera deliberately differs from google-auth, and in what: requests, url, outcome, or the name of a field.
    differs: str = None
    differs_in: tuple = ()


def authorized_user(**members):
    return {
        "type": "authorized_user", "client_id": "client.apps.googleusercontent.com", "client_secret": "client-secret",
        "refresh_token": "1//refresh", **members,
    }


def service_account(**members):
    return {
        "type": "service_account", "project_id": "example-project", "private_key_id": "key-1",
        "private_key": "{pkcs8}", "client_email": ROBOT, "client_id": "1234567890",
        "token_uri": "https://oauth2.googleapis.com/token", **members,
    }


def external(source, **members):
    return {
        "type": "external_account", "audience": WORKLOAD, "subject_token_type": TOKEN_TYPES + "jwt",
        "token_url": "https://sts.googleapis.com/v1/token", "credential_source": source, **members,
    }


def aws(source=None, **members):
    imds = "http://169.254.169.254/latest"
    full = {
        "environment_id": "aws1",
        "region_url": f"{imds}/meta-data/placement/availability-zone",
        "url": f"{imds}/meta-data/iam/security-credentials",
        "regional_cred_verification_url":
            "https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15",
    }
    full.update(source or {})
    source = {name: value for name, value in full.items() if value is not None}
    return external(source, subject_token_type="urn:ietf:params:aws:token-type:aws4_request") | members


def impersonated(source, **members):
    return {
        "type": "impersonated_service_account", "service_account_impersonation_url": IMPERSONATION,
        "source_credentials": source, **members,
    }


def workforce_user(**members):
    return {
        "type": "external_account_authorized_user", "audience": WORKFORCE, "refresh_token": "workforce-refresh",
        "token_url": "https://sts.googleapis.com/v1/oauthtoken",
        "token_info_url": "https://sts.googleapis.com/v1/introspect",
        "client_id": "workforce-client", "client_secret": "workforce-secret", **members,
    }


def program(text):
    """Returns a program that prints a token with the variables that it was started with."""
    return "#!/bin/sh\n" + text + "\n"


def token_program(kind="id_token", token="id_token", names=PROGRAM_VARIABLES):
    values = " ".join(f'"${{GOOGLE_EXTERNAL_ACCOUNT_{name}-unset}}"' for name in names)
    form = "/".join(["%s"] * len(names)) + "/$*"
    return program(
        f"""printf '{{"version":1,"success":true,"token_type":"{TOKEN_TYPES}{kind}","{token}":"' """
        f"""\nprintf "{form}" {values}\nprintf '"}}'"""
    )
