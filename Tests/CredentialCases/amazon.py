# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""External accounts on AWS. The secret keys are those of Amazon's documentation and are known to the script."""
from case import IMPERSONATION, Case, aws

PROJECT = {"GOOGLE_CLOUD_PROJECT": "variable-project"}
KEYS = PROJECT | {
    "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
}
SESSION = KEYS | {"AWS_SESSION_TOKEN": "session/token+in=environment"}
IMDS2 = {"imdsv2_session_token_url": "http://169.254.169.254/latest/api/token"}
IPV6 = {
    "region_url": "http://[fd00:ec2::254]/latest/meta-data/placement/availability-zone",
    "url": "http://[fd00:ec2::254]/latest/meta-data/iam/security-credentials",
    "imdsv2_session_token_url": "http://[fd00:ec2::254]/latest/api/token",
}
LATEST = "http://169.254.169.254/latest"

CASES = [
    Case("aws-environment", aws(), env=KEYS | {"AWS_REGION": "us-west-2"}),
    Case("aws-session-token", aws(), env=SESSION | {"AWS_REGION": "us-west-2"}),
    Case("aws-default-region", aws(), env=KEYS | {"AWS_DEFAULT_REGION": "eu-central-1"}),
    Case("aws-region-before-default-region", aws(),
         env=KEYS | {"AWS_REGION": "us-west-2", "AWS_DEFAULT_REGION": "eu-central-1"}),
    Case("aws-region-of-zone", aws(), env=KEYS),
    Case("aws-region-of-zone-imdsv2", aws(IMDS2), env=SESSION),
    Case("aws-imdsv1", aws(), env=PROJECT),
    Case("aws-imdsv2", aws(IMDS2), env=PROJECT),
    Case("aws-imdsv2-region-in-environment", aws(IMDS2), env=PROJECT | {"AWS_REGION": "us-west-2"}),
    Case("aws-imdsv2-ipv6", aws(IPV6), env=PROJECT),
    Case("aws-id-without-secret", aws(), env=PROJECT | {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE"}),
    Case("aws-project-lookup", aws(), env=KEYS | {"AWS_REGION": "us-west-2", "GOOGLE_CLOUD_PROJECT": ""}),
    Case("aws-impersonation", aws(IMDS2, service_account_impersonation_url=IMPERSONATION), env=PROJECT),
    Case("aws-fips", aws({"regional_cred_verification_url":
                          "https://sts-fips.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15"}),
         env=KEYS | {"AWS_REGION": "us-gov-west-1"}),
    Case("aws-global-endpoint", aws({"regional_cred_verification_url":
                                     "https://sts.amazonaws.com/?Version=2011-06-15&Action=GetCallerIdentity"}),
         env=KEYS | {"AWS_REGION": "us-east-1"}),
    Case("aws-client-secret", aws(client_id="client", client_secret="secret"), env=KEYS | {"AWS_REGION": "us-west-2"}),
    Case("aws-only-environment", aws({"url": None, "region_url": None}), env=KEYS | {"AWS_REGION": "us-west-2"}),
    Case("aws-without-region", aws({"url": None, "region_url": None}), env=KEYS, fails="before"),
    Case("aws-without-keys", aws({"url": None}), env=PROJECT | {"AWS_REGION": "us-west-2"}, fails="before"),
    Case("aws-version-2", aws({"environment_id": "aws2"}), env=KEYS, fails="before"),
    Case("aws-other-environment", aws({"environment_id": "azure1"}), env=KEYS, fails="before"),
    Case("aws-without-verification-url", aws({"regional_cred_verification_url": None}), env=KEYS, fails="before"),
    Case("aws-session-denied", aws(IMDS2), env=PROJECT, fails="after",
         responses={f"{LATEST}/api/token": [403, "denied"]}),
    Case("aws-without-role", aws(), env=PROJECT | {"AWS_REGION": "us-west-2"}, fails="after",
         responses={f"{LATEST}/meta-data/iam/security-credentials": [404, "missing"]}),
]
