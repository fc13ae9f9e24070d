# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Impersonated service accounts, and downscoped tokens."""
from case import (
    CLOUD, IMPERSONATION, MIDDLE, STORAGE, TARGET, Case, authorized_user, external, impersonated, service_account,
    workforce_user,
)

AUDIENCE = "https://service.example"
ADA = "ada@example.com"
SUBJECT = {"subject": "subject-token"}
FEDERATED = external({"file": "{dir}/subject"})
BUCKET = {
    "availableResource": "//storage.googleapis.com/projects/_/buckets/example",
    "availablePermissions": ["inRole:roles/storage.objectViewer"],
}
CONDITION = {
    "expression": "resource.name.startsWith('projects/_/buckets/example/objects/a b/ü&')",
    "title": "One customer", "description": "Only \"customer a\"",
}


def target(**members):
    return {"email": TARGET, "scopes": [STORAGE], **members}


CASES = [
    Case("impersonated-by-user", impersonated(authorized_user())),
    Case("impersonated-by-key", impersonated(service_account())),
    Case("impersonated-by-workforce-user", impersonated(workforce_user())),
    Case("impersonated-delegates", impersonated(service_account(), delegates=[MIDDLE, "other@example.com"])),
    Case("impersonated-without-delegates", impersonated(service_account(), delegates=[])),
    Case("impersonated-scopes-in-file", impersonated(service_account(), scopes=[STORAGE]), scopes=()),
    Case("impersonated-scopes-of-caller", impersonated(service_account(), scopes=[STORAGE]), source="load",
         scopes=(CLOUD,)),
    Case("impersonated-quota-project", impersonated(authorized_user(), quota_project_id="file-quota"),
         operation="call"),
    Case("impersonated-quota-project-of-source",
         impersonated(authorized_user(quota_project_id="source-quota")), operation="call"),
    Case("impersonated-id-token", impersonated(authorized_user()), operation="id_token", audience=AUDIENCE,
         include_email=True),
    Case("impersonated-id-token-delegates", impersonated(service_account(), delegates=[MIDDLE]), operation="id_token",
         audience=AUDIENCE, include_email=True),
    Case("impersonated-sign", impersonated(authorized_user()), operation="sign"),
    Case("impersonated-sign-delegates", impersonated(service_account(), delegates=[MIDDLE]), operation="sign"),
    Case("impersonating", service_account(), impersonate=target()),
    Case("impersonating-lifetime", service_account(), impersonate=target(lifetime=7200, scopes=[CLOUD, STORAGE])),
    Case("impersonating-delegates", service_account(), impersonate=target(delegates=[MIDDLE])),
    Case("impersonating-with-user", authorized_user(), impersonate=target()),
    Case("impersonating-with-self-signed-jwt", service_account(), source="load", self_signed="scopes",
         impersonate=target()),
    Case("impersonating-with-federation", FEDERATED, SUBJECT, {"GOOGLE_CLOUD_PROJECT": "variable-project"},
         impersonate=target()),
    Case("impersonating-subject", service_account(), impersonate=target(subject=ADA)),
    Case("impersonating-subject-delegates", authorized_user(),
         impersonate=target(subject=ADA, delegates=[MIDDLE], scopes=[CLOUD, STORAGE])),
    Case("impersonating-id-token", service_account(), impersonate=target(), operation="id_token", audience=AUDIENCE),
    Case("impersonating-id-token-email", service_account(), impersonate=target(), operation="id_token",
         audience=AUDIENCE, include_email=True),
    Case("impersonating-sign", service_account(), impersonate=target(), operation="sign"),
    Case("impersonating-quota-project", authorized_user(), env={"GOOGLE_CLOUD_QUOTA_PROJECT": "variable-quota"},
         impersonate=target(), operation="call",
         differs="In Tessera, the quota project also applies to credentials that are derived from others",
         differs_in=("x-goog-user-project",)),
    Case("impersonated-rejected", impersonated(authorized_user()), fails="after",
         responses={IMPERSONATION: [403, {"error": {"message": "denied"}}]}),
    Case("impersonated-unknown-source", impersonated({"type": "gdch_service_account"}), fails="before"),
    Case("impersonated-without-account",
         impersonated(
             authorized_user(), service_account_impersonation_url="https://iamcredentials.googleapis.com/v1/a"
         ),
         fails="before"),
    Case("downscoped", service_account(), downscope=[BUCKET]),
    Case("downscoped-condition", service_account(), downscope=[BUCKET | {"availabilityCondition": CONDITION}]),
    Case("downscoped-two-rules", authorized_user(),
         downscope=[BUCKET, BUCKET | {"availableResource": "//storage.googleapis.com/projects/_/buckets/other",
                                      "availabilityCondition": {"expression": "true"}}]),
    Case("downscoped-impersonated", impersonated(authorized_user()), downscope=[BUCKET]),
    Case("downscoped-unknown-permission", service_account(),
         downscope=[BUCKET | {"availablePermissions": ["roles/storage.objectViewer"]}], fails="before"),
]
