# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""The metadata server."""
from case import CLOUD, NO_MACHINE, ROBOT, STORAGE, TARGET, Case

AUDIENCE = "https://service.example"
UNIVERSE = "google-auth asks for the machine's universe. In Tessera, the caller names the universe"
ROOT = "http://metadata.google.internal/computeMetadata/v1"

CASES = [
    Case("machine"),
    Case("machine-two-scopes", scopes=(CLOUD, STORAGE)),
    Case("machine-own-scopes", scopes=()),
    Case("machine-without-search", source="machine"),
    Case("machine-own-scopes-without-search", source="machine", scopes=()),
    Case("machine-project-in-environment", env={"GOOGLE_CLOUD_PROJECT": "variable-project"},
         differs="google-auth asks the metadata server for the project although the environment names one",
         differs_in=("requests",)),
    Case("machine-quota-project", env={"GOOGLE_CLOUD_QUOTA_PROJECT": "variable-quota"}, operation="call"),
    Case("machine-host", env={"GCE_METADATA_HOST": "127.0.0.1:8080"}),
    Case("machine-root", env={"GCE_METADATA_ROOT": "localhost:8080"}),
    Case("machine-host-before-root", env={"GCE_METADATA_HOST": "127.0.0.1:8080", "GCE_METADATA_ROOT": "127.0.0.1:9"}),
    Case("machine-empty-host", env={"GCE_METADATA_HOST": "", "GCE_METADATA_ROOT": "127.0.0.1:8080"}),
    Case("machine-ip", env={"GCE_METADATA_IP": "127.0.0.1:8081"}),
    Case("machine-host-and-ip", env={"GCE_METADATA_HOST": "127.0.0.1:8080", "GCE_METADATA_IP": "127.0.0.1:8081"}),
    Case("machine-check-not-exactly-true", env={"NO_GCE_CHECK": "True"}),
    Case("machine-mtls-mode-none", env={"GCE_METADATA_MTLS_MODE": "none"}),
    Case("machine-id-token", source="machine", operation="id_token", audience=AUDIENCE),
    Case("machine-id-token-unusual-audience", source="machine", operation="id_token", audience="a b&c=ü/?"),
    Case(
        "machine-id-token-licenses", source="machine", operation="id_token", audience=AUDIENCE, include_licenses=True,
    ),
    Case(
        "machine-id-token-found", operation="id_token", audience=AUDIENCE,
        differs="google-auth first asks for the account's email address, which the request does not need",
        differs_in=("requests",),
    ),
    Case("machine-sign", operation="sign", source="machine"),
    Case(
        "machine-impersonation", source="machine",
        impersonate={"email": TARGET, "scopes": [STORAGE]}, differs=UNIVERSE, differs_in=("requests",),
    ),
    Case(
        "machine-delegated-impersonation", source="machine",
        impersonate={"email": TARGET, "scopes": [CLOUD], "subject": "ada@example.com"}, differs=UNIVERSE,
        differs_in=("requests",),
    ),
    Case(
        "machine-token-missing", source="machine", fails="after",
        responses={f"{ROOT}/instance/service-accounts/default/token": [404, "not found"]},
    ),
    Case(
        "machine-without-account", source="machine", fails="after",
        responses={f"{ROOT}/instance/service-accounts/default/": [404, "not found"]},
    ),
    Case(
        "machine-retry-after-503", source="machine",
        responses={
            f"{ROOT}/instance/service-accounts/default/": [
                [503, "later"],
                [200, {"email": ROBOT, "scopes": [CLOUD]}, {"Metadata-Flavor": "Google"}],
            ]
        },
    ),
    Case(
        "machine-other-server", fails="after",
        responses={"http://169.254.169.254/": [200, "welcome"]},
    ),
    Case("machine-not-checked", env=NO_MACHINE, fails="before"),
]
