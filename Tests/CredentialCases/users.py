# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Users' credentials, and external_account_authorized_user files."""
from case import CLOUD, NO_MACHINE, STORAGE, Case, authorized_user, workforce_user

CASES = [
    Case("user", authorized_user()),
    Case("user-ignores-scopes", authorized_user(), scopes=(STORAGE,)),
    Case("user-scopes-in-file", authorized_user(scopes=[CLOUD, STORAGE]), source="load", scopes=()),
    Case("user-scopes-as-text", authorized_user(scopes=f"{CLOUD} {STORAGE}"), source="load", scopes=()),
    Case("user-token-uri-in-file-is-ignored", authorized_user(token_uri="https://other.googleapis.com/token")),
    Case("user-rapt-token", authorized_user(rapt_token="rapt-1")),
    Case("user-quota-project", authorized_user(quota_project_id="file-quota"), operation="call"),
    Case("user-without-quota-project", authorized_user(), operation="call"),
    Case("user-unusual-characters", authorized_user(refresh_token="1//a+b/c=&d ü", client_secret="s%26&~*")),
    Case(
        "user-empty-client-secret", authorized_user(client_secret=""),
        differs="Tessera treats an empty secret in the file as a missing one", differs_in=("requests", "outcome"),
    ),
    Case(
        "user-rejected", authorized_user(), fails="after",
        responses={"https://oauth2.googleapis.com/token": [400, {"error": "invalid_grant"}]},
    ),
    Case(
        "user-retry-after-503", authorized_user(),
        responses={
            "https://oauth2.googleapis.com/token": [
                [503, {"error": "unavailable"}],
                [200, {"access_token": "second", "expires_in": 3599, "token_type": "Bearer"}],
            ]
        },
    ),
    Case(
        "user-id-token", authorized_user(), operation="id_token", audience="https://service.example", env=NO_MACHINE,
        differs="google-auth asks the metadata server although the file contains a user's credentials",
        differs_in=("requests", "outcome"),
    ),
    Case("user-sign", authorized_user(), operation="sign", fails="before"),
    Case("workforce-user", workforce_user()),
    Case("workforce-user-quota-project", workforce_user(quota_project_id="file-quota"), operation="call"),
    Case("workforce-user-unusual-client", workforce_user(client_id="a/b c", client_secret="p%q+ü:")),
    Case(
        "workforce-user-regional-endpoint",
        workforce_user(token_url="https://sts.us-east1.rep.googleapis.com/v1/oauthtoken"),
    ),
    Case(
        "workforce-user-rejected", workforce_user(), fails="after",
        responses={"https://sts.googleapis.com/v1/oauthtoken": [400, {"error": "invalid_grant"}]},
    ),
    Case("workforce-user-without-refresh-token", workforce_user(refresh_token=None), fails="before"),
    Case("workforce-user-without-secret", workforce_user(client_secret=None), fails="before"),
]
