# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""External accounts whose subject token comes from a file, a URL or a certificate, and options of all of them."""
from case import CLOUD, IMPERSONATION, STORAGE, TOKEN_TYPES, WORKFORCE, Case, external

FILE = {"file": "{dir}/subject"}
JSON_FILE = FILE | {"format": {"type": "json", "subject_token_field_name": "access_token"}}
URL = {"url": "http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&resource=api%3A%2F%2Fa"}
SUBJECT = {"subject": "subject-token"}
PROJECT = {"GOOGLE_CLOUD_PROJECT": "variable-project"}
STS = "https://sts.googleapis.com/v1/token"
SUPPLIER = "https://idp.example/token"
CERTIFICATE = {"certificate": {"certificate_config_location": "{dir}/certificates.json"}}
CERTIFICATE_FILES = {
    "certificates.json": {
        "cert_configs": {"workload": {"cert_path": "{dir}/client.pem", "key_path": "{dir}/client.key"}}
    },
    "client.pem": "{certificate}",
    "client.key": "{pkcs8}",
}


def workforce(**members):
    return external(FILE, audience=WORKFORCE, **members)


CASES = [
    Case("file", external(FILE), SUBJECT, PROJECT),
    Case("file-project-lookup", external(FILE), SUBJECT),
    Case("file-without-project-lookup", external(FILE), SUBJECT, scopes=()),
    Case("file-loaded", external(FILE), SUBJECT, source="load"),
    Case("file-two-scopes", external(FILE), SUBJECT, PROJECT, scopes=(CLOUD, STORAGE)),
    Case("file-text-is-not-trimmed", external(FILE), {"subject": " subject-token\n"}, PROJECT),
    Case("file-json", external(JSON_FILE), {"subject": {"access_token": "subject-in-json", "other": 1}}, PROJECT),
    Case("file-format-text", external(FILE | {"format": {"type": "text"}}), SUBJECT, PROJECT),
    Case("file-saml", external(FILE, subject_token_type=TOKEN_TYPES + "saml2"), {"subject": "PHNhbWw+/+="}, PROJECT),
    Case("file-universe-in-token-url", external(FILE, token_url="https://sts.{universe_domain}/v1/token"), SUBJECT,
         PROJECT),
    Case("file-regional-token-url", external(FILE, token_url="https://sts.us-east1.rep.googleapis.com/v1/token"),
         SUBJECT, PROJECT),
    Case("file-quota-project", external(FILE, quota_project_id="file-quota"), SUBJECT, PROJECT, operation="call"),
    Case("file-quota-project-in-lookup", external(FILE, quota_project_id="file-quota"), SUBJECT),
    Case("file-client-secret", external(FILE, client_id="client", client_secret="secret"), SUBJECT, PROJECT),
    Case("file-client-without-secret", external(FILE, client_id="client"), SUBJECT, PROJECT),
    Case("file-unusual-client", external(FILE, client_id="a/b c", client_secret="p%q+ü:"), SUBJECT, PROJECT),
    Case("url-text", external(URL), env=PROJECT),
    Case("url-json", external({"url": SUPPLIER, "format": JSON_FILE["format"]}), env=PROJECT,
         responses={SUPPLIER: [200, {"access_token": "from-url"}]}),
    Case("url-headers", external(URL | {"headers": {"Metadata": "True", "X-Custom": "a, b"}}), env=PROJECT),
    Case("url-impersonation", external(URL, service_account_impersonation_url=IMPERSONATION), env=PROJECT),
    Case("impersonation", external(FILE, service_account_impersonation_url=IMPERSONATION), SUBJECT, PROJECT),
    Case("impersonation-project-lookup", external(FILE, service_account_impersonation_url=IMPERSONATION), SUBJECT),
    Case(
        "impersonation-lifetime",
        external(
            FILE, service_account_impersonation_url=IMPERSONATION,
            service_account_impersonation={"token_lifetime_seconds": 2800},
        ),
        SUBJECT, PROJECT,
    ),
    Case(
        "impersonation-quota-project",
        external(FILE, service_account_impersonation_url=IMPERSONATION, quota_project_id="file-quota"),
        SUBJECT, PROJECT, operation="call",
    ),
    Case(
        "impersonation-client-secret",
        external(
            FILE, service_account_impersonation_url=IMPERSONATION, client_id="client", client_secret="secret"
        ),
        SUBJECT, PROJECT,
    ),
    Case("impersonation-regional-endpoint",
         external(FILE, service_account_impersonation_url=IMPERSONATION.replace(
             "iamcredentials.", "iamcredentials.us-east1.rep.")),
         SUBJECT, PROJECT),
    Case("workforce", workforce(), SUBJECT, PROJECT),
    Case("workforce-user-project", workforce(workforce_pool_user_project="987654321"), SUBJECT),
    Case(
        "workforce-user-project-and-client",
        workforce(workforce_pool_user_project="987654321", client_id="client", client_secret="secret"),
        SUBJECT,
    ),
    Case(
        "workforce-user-project-and-impersonation",
        workforce(workforce_pool_user_project="987654321", service_account_impersonation_url=IMPERSONATION),
        SUBJECT,
    ),
    Case("certificate", external(CERTIFICATE, subject_token_type=TOKEN_TYPES + "mtls",
                                 token_url="https://sts.mtls.googleapis.com/v1/token"), CERTIFICATE_FILES, PROJECT),
    Case(
        "certificate-chain",
        external(
            {"certificate": CERTIFICATE["certificate"] | {"trust_chain_path": "{dir}/chain.pem"}},
            subject_token_type=TOKEN_TYPES + "mtls", token_url="https://sts.mtls.googleapis.com/v1/token",
        ),
        CERTIFICATE_FILES | {"chain.pem": "{certificate}\n{issuer}"}, PROJECT,
    ),
    Case(
        "certificate-default-configuration",
        external({"certificate": {"use_default_certificate_config": True}}, subject_token_type=TOKEN_TYPES + "mtls",
                 token_url="https://sts.mtls.googleapis.com/v1/token"),
        CERTIFICATE_FILES, PROJECT | {"GOOGLE_API_CERTIFICATE_CONFIG": "{dir}/certificates.json"},
    ),
    Case("file-rejected", external(FILE), SUBJECT, PROJECT, fails="after",
         responses={STS: [400, {"error": "invalid_request"}]}),
    Case("impersonation-rejected", external(FILE, service_account_impersonation_url=IMPERSONATION), SUBJECT, PROJECT,
         fails="after", responses={IMPERSONATION: [403, {"error": {"message": "denied"}}]}),
    Case("url-missing", external(URL), env=PROJECT, fails="after",
         responses={"http://169.254.169.254/metadata/identity/oauth2/token": [404, "missing"]}),
    Case("file-missing", external(FILE), env=PROJECT, fails="before"),
    Case("file-empty", external(FILE), {"subject": ""}, PROJECT, fails="before"),
    Case("file-json-without-member", external(JSON_FILE), {"subject": {"token": "a"}}, PROJECT, fails="before"),
    Case("file-json-not-json", external(JSON_FILE), {"subject": "a"}, PROJECT, fails="before"),
    Case("file-json-without-name", external(FILE | {"format": {"type": "json"}}), SUBJECT, PROJECT, fails="before"),
    Case("file-unknown-format", external(FILE | {"format": {"type": "xml"}}), SUBJECT, PROJECT, fails="before"),
    Case("file-and-url", external(FILE | URL), SUBJECT, PROJECT, fails="before"),
    Case("file-with-environment-id", external(FILE | {"environment_id": "a"}), SUBJECT, PROJECT, fails="before"),
    Case("source-without-content", external({}), env=PROJECT, fails="before"),
    Case("source-missing", external(None), env=PROJECT, fails="before"),
    Case("workload-with-user-project", external(FILE, workforce_pool_user_project="1"), SUBJECT, PROJECT,
         fails="before"),
    Case("certificate-without-configuration",
         external({"certificate": {}}, subject_token_type=TOKEN_TYPES + "mtls"), env=PROJECT, fails="before"),
    Case("impersonation-without-account",
         external(FILE, service_account_impersonation_url="https://iamcredentials.googleapis.com/v1/other"),
         SUBJECT, PROJECT, fails="before"),
]
