# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""The order of the search, the precedence of variables, and files that no client accepts."""
from case import GCLOUD, GCLOUD_FILE, NO_MACHINE, Case, authorized_user, service_account

KEY = "GOOGLE_APPLICATION_CREDENTIALS"
USER = authorized_user(refresh_token="1//gcloud")
CONFIGURATIONS = {
    "bin/gcloud": GCLOUD,
    "home/.config/gcloud/active_config": "work",
    "home/.config/gcloud/configurations/config_default": "[core]\nproject = default-project\n",
    "home/.config/gcloud/configurations/config_work":
        "[compute]\nproject = wrong\n\n[core]\naccount = ada@example.com\nproject = work-project\n",
}
OTHER = {
    "gcloud/application_default_credentials.json": USER, "bin/gcloud": GCLOUD,
    "gcloud/configurations/config_default": "[core]\nproject = other-project\n",
}
CALL = {"operation": "call"}
QUOTA = {"GOOGLE_CLOUD_QUOTA_PROJECT": "variable-quota"}

CASES = [
    Case("search-variable-before-gcloud", service_account(), {GCLOUD_FILE: USER}),
    Case("search-gcloud-file", files={GCLOUD_FILE: USER}),
    Case("search-gcloud-service-account", files={GCLOUD_FILE: service_account()}),
    Case("search-empty-variable", files={GCLOUD_FILE: USER}, env={KEY: ""}),
    Case("search-variable-names-gcloud-file", files=CONFIGURATIONS | {GCLOUD_FILE: USER},
         env={KEY: "{dir}/" + GCLOUD_FILE}),
    Case("search-missing-file", files={GCLOUD_FILE: USER}, env={KEY: "{dir}/missing.json"}, fails="before"),
    Case("search-directory", files={GCLOUD_FILE: USER}, env={KEY: "{dir}"}, fails="before"),
    Case("search-configuration-directory", files={GCLOUD_FILE: service_account()} | OTHER,
         env={"CLOUDSDK_CONFIG": "{dir}/gcloud"}),
    Case("search-missing-configuration-directory", files={GCLOUD_FILE: USER},
         env=NO_MACHINE | {"CLOUDSDK_CONFIG": "{dir}/missing"}, fails="before"),
    Case("search-nothing", env=NO_MACHINE, fails="before"),
    Case("gcloud-project", files=CONFIGURATIONS | {GCLOUD_FILE: USER}),
    Case("gcloud-project-of-named-configuration", files=CONFIGURATIONS | {GCLOUD_FILE: USER},
         env={"CLOUDSDK_ACTIVE_CONFIG_NAME": "default"}),
    Case("gcloud-project-in-variable", files=CONFIGURATIONS | {GCLOUD_FILE: USER},
         env={"CLOUDSDK_CORE_PROJECT": "core-project"}),
    Case("gcloud-project-not-for-variable", authorized_user(), CONFIGURATIONS),
    Case("gcloud-project-after-file", files=CONFIGURATIONS | {GCLOUD_FILE: service_account()}),
    Case("project-variable", service_account(), env={"GOOGLE_CLOUD_PROJECT": "variable-project"}),
    Case("project-older-variable", service_account(), env={"GCLOUD_PROJECT": "older-project"}),
    Case("project-both-variables", service_account(),
         env={"GOOGLE_CLOUD_PROJECT": "variable-project", "GCLOUD_PROJECT": "older-project"}),
    Case("project-before-gcloud", files=CONFIGURATIONS | {GCLOUD_FILE: USER},
         env={"GOOGLE_CLOUD_PROJECT": "variable-project"}),
    Case("quota-variable-before-file", authorized_user(quota_project_id="file-quota"), env=QUOTA, **CALL),
    Case("quota-caller-before-variable", authorized_user(quota_project_id="file-quota"), env=QUOTA,
         quota_project="caller-quota", **CALL),
    Case("quota-caller-before-file", authorized_user(quota_project_id="file-quota"), quota_project="caller-quota",
         **CALL),
    Case("quota-empty-variable", authorized_user(quota_project_id="file-quota"),
         env={"GOOGLE_CLOUD_QUOTA_PROJECT": ""}, **CALL),
    Case("quota-gcloud-file", files={GCLOUD_FILE: USER | {"quota_project_id": "file-quota"}}, **CALL),
    Case("file-is-empty", "", fails="before"),
    Case("file-is-truncated", '{"type": "authorized_user", "client_id": "a', fails="before"),
    Case("file-is-array", "[]", fails="before"),
    Case("file-without-type", {"client_id": "a"}, fails="before"),
    Case("file-unknown-type", {"type": "other"}, fails="before"),
    Case("file-is-oauth-client", {"installed": {"client_id": "a", "client_secret": "b"}}, fails="before"),
    Case("user-without-refresh-token", authorized_user(refresh_token=None), fails="before"),
    Case("user-without-client-id", authorized_user(client_id=None), fails="before"),
    Case("user-without-client-secret", authorized_user(client_secret=None), fails="before"),
]
