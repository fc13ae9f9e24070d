# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""External accounts whose subject token comes from a program."""
import time

from case import IMPERSONATION, PROGRAM_VARIABLES, TOKEN_TYPES, WORKFORCE, Case, external, program, token_program

ALLOWED = {"GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES": "1", "GOOGLE_CLOUD_PROJECT": "variable-project"}
CACHED = {"command": "{dir}/program", "output_file": "{dir}/output"}
INTERACTIVE = CACHED | {"interactive_timeout_millis": 30000}
LATER = int(time.time()) + 3600
PROGRAM = {"program": token_program()}
NOT_INTERACTIVE = "Tessera interacts with the user only if the file supports it, and otherwise runs the program without interaction"


def executable(members=None, **others):
    return external({"executable": members or {"command": "{dir}/program"}}, **others)


def response(**members):
    full = {"version": 1, "success": True, "token_type": TOKEN_TYPES + "id_token", "id_token": "from-output"}
    return full | members


def printing(**members):
    import json

    return {"program": program(f"cat <<'END'\n{json.dumps(response(**members))}\nEND")}


CASES = [
    Case("program", executable(), PROGRAM, ALLOWED),
    Case("program-arguments", executable({"command": "{dir}/program --name='a b' \"c\" d\\ e", "timeout_millis": 5000}),
         PROGRAM, ALLOWED),
    Case("program-jwt", executable(), {"program": token_program("jwt")}, ALLOWED),
    Case("program-saml", executable(subject_token_type=TOKEN_TYPES + "saml2"),
         {"program": token_program("saml2", "saml_response")}, ALLOWED),
    # google-auth does not tell the program which account is impersonated, although AIP-4117 requires that.
    Case("program-impersonation", executable(service_account_impersonation_url=IMPERSONATION),
         {"program": token_program(names=PROGRAM_VARIABLES[:-2])}, ALLOWED),
    Case("program-expiration", executable(), printing(expiration_time=LATER), ALLOWED),
    Case("program-output-file", executable(CACHED), PROGRAM, ALLOWED),
    Case("program-cached", executable(CACHED), PROGRAM | {"output": response(expiration_time=LATER)}, ALLOWED),
    Case("program-cached-without-expiration", executable(CACHED), PROGRAM | {"output": response()}, ALLOWED),
    Case("program-cache-expired", executable(CACHED), PROGRAM | {"output": response(expiration_time=1)}, ALLOWED),
    Case("program-cache-is-not-json", executable(CACHED), PROGRAM | {"output": "damaged"}, ALLOWED),
    Case("program-cached-failure", executable(CACHED),
         PROGRAM | {"output": {"version": 1, "success": False, "code": "1", "message": "no"}}, ALLOWED),
    Case("program-prints-only-to-file", executable(CACHED),
         {"program": program("printf '%s' '{\"version\":1,\"success\":true,\"token_type\":\"" + TOKEN_TYPES
                             + "id_token\",\"id_token\":\"in-file\"}' > \"$GOOGLE_EXTERNAL_ACCOUNT_OUTPUT_FILE\"")},
         ALLOWED),
    Case("program-interactive", executable(INTERACTIVE, audience=WORKFORCE),
         {"program": token_program().replace("#!/bin/sh\n", "#!/bin/sh\nexec >\"{dir}/output\"\n")},
         {"GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES": "1"},
         source="load", interactive=True),
    Case("program-interactive-workload", executable(INTERACTIVE), PROGRAM, ALLOWED, source="load", interactive=True,
         differs=NOT_INTERACTIVE, differs_in=("requests", "outcome")),
    Case("program-interactive-without-output", executable(audience=WORKFORCE), PROGRAM, ALLOWED, source="load",
         interactive=True, differs=NOT_INTERACTIVE, differs_in=("requests", "outcome")),
    Case("program-not-allowed", executable(), PROGRAM, {"GOOGLE_CLOUD_PROJECT": "variable-project"}, fails="before"),
    Case("program-allowed-with-true", executable(), PROGRAM,
         ALLOWED | {"GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES": "true"}, fails="before"),
    Case("program-missing", executable(), env=ALLOWED, fails="before"),
    Case("program-fails", executable(), {"program": program("exit 3")}, ALLOWED, fails="before"),
    Case("program-unsuccessful", executable(), printing(success=False, code="401", message="no"), ALLOWED,
         fails="before"),
    Case("program-expired", executable(), printing(expiration_time=1), ALLOWED, fails="before"),
    Case("program-version-2", executable(), printing(version=2), ALLOWED, fails="before"),
    Case("program-unknown-type", executable(), printing(token_type="other"), ALLOWED, fails="before"),
    Case("program-prints-text", executable(), {"program": program("echo token")}, ALLOWED, fails="before"),
    Case("program-without-command", executable({"timeout_millis": 5000}), PROGRAM, ALLOWED, fails="before"),
    Case("program-timeout-too-short", executable({"command": "{dir}/program", "timeout_millis": 4999}), PROGRAM,
         ALLOWED, fails="before"),
    Case("program-timeout-too-long", executable({"command": "{dir}/program", "timeout_millis": 120001}), PROGRAM,
         ALLOWED, fails="before"),
]
