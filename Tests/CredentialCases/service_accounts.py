# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Service account keys."""
from case import CLOUD, STORAGE, UNIVERSE, Case, service_account

ADA = "ada@example.com"
OTHER = service_account(universe_domain=UNIVERSE)

CASES = [
    Case("service-account", service_account()),
    Case("service-account-two-scopes", service_account(), scopes=(CLOUD, STORAGE)),
    Case("service-account-pkcs1", service_account(private_key="{pkcs1}")),
    Case("service-account-subject", service_account(), source="load", subject=ADA),
    Case("service-account-without-key-id", service_account(private_key_id=None)),
    Case("service-account-without-project", service_account(project_id=None)),
    Case(
        "service-account-older-token-uri",
        service_account(token_uri="https://www.googleapis.com/oauth2/v4/token"),
    ),
    Case("service-account-oldest-token-uri", service_account(token_uri="https://accounts.google.com/o/oauth2/token")),
    Case(
        "service-account-quota-project-in-file", service_account(quota_project_id="file-quota"), operation="call",
        differs="Like cloud.google.com/go/auth, Tessera reads the quota project of every file. google-auth ignores it "
        "in service account keys",
        differs_in=("x-goog-user-project",),
    ),
    Case(
        "service-account-quota-project-in-environment", service_account(), operation="call",
        env={"GOOGLE_CLOUD_QUOTA_PROJECT": "variable-quota"},
    ),
    Case("service-account-self-signed-scopes", service_account(), source="load", self_signed="scopes"),
    Case(
        "service-account-self-signed-two-scopes", service_account(), source="load", self_signed="scopes",
        scopes=(CLOUD, STORAGE),
    ),
    Case(
        "service-account-self-signed-audience", service_account(), source="load", scopes=(),
        self_signed="https://storage.googleapis.com/",
    ),
    Case(
        "service-account-self-signed-call", service_account(private_key="{pkcs1}"), source="load",
        self_signed="scopes", operation="call",
    ),
    Case(
        "service-account-self-signed-with-subject", service_account(), source="load", self_signed="scopes", subject=ADA,
    ),
    Case("service-account-id-token", service_account(), operation="id_token", audience="https://service.example"),
    Case(
        "service-account-id-token-loaded", service_account(private_key="{pkcs1}"), source="load", operation="id_token",
        audience="https://service.example/path?query=ü",
    ),
    Case("service-account-sign", service_account(), operation="sign"),
    Case("service-account-sign-pkcs1", service_account(private_key="{pkcs1}"), operation="sign"),
    Case("service-account-universe", OTHER, universe=UNIVERSE),
    Case("service-account-universe-call", OTHER, universe=UNIVERSE, operation="call"),
    Case("service-account-universe-named", service_account(universe_domain="googleapis.com")),
    Case(
        "service-account-universe-id-token", OTHER, universe=UNIVERSE, operation="id_token",
        audience="https://service.example",
    ),
    Case(
        "service-account-universe-subject", OTHER, universe=UNIVERSE, source="load", subject=ADA, fails="before",
    ),
    Case(
        "service-account-rejected", service_account(), fails="after",
        responses={"https://oauth2.googleapis.com/token": [400, {"error": "invalid_grant"}]},
    ),
    Case("service-account-without-email", service_account(client_email=None), fails="before"),
    Case("service-account-without-key", service_account(private_key=None), fails="before"),
    Case("service-account-without-token-uri", service_account(token_uri=None), fails="before"),
    Case(
        "service-account-damaged-key", service_account(private_key="-----BEGIN PRIVATE KEY-----\nAAAA\n"),
        fails="before",
    ),
]
