# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Installs Google's Python libraries google-auth and google-auth-oauthlib once from PyPI."""
import pathlib
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent
ENVIRONMENT = PROJECT / ".build" / "google-auth"
VERSION = "2.63.0"
PACKAGES = [f"google-auth=={VERSION}", "google-auth-oauthlib==1.5.0", "requests==2.34.2"]


def python_with_packages():
    """Returns the interpreter of the environment, which is created if it is missing."""
    python = ENVIRONMENT / "bin" / "python"
    imports = f"import google.auth, google_auth_oauthlib, requests; assert google.auth.__version__ == '{VERSION}'"
    if python.exists() and subprocess.run([python, "-c", imports], stderr=subprocess.DEVNULL).returncode == 0:
        return python
    try:
        subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True, stdout=subprocess.DEVNULL)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", "--retries", "1"]
        subprocess.run(pip + PACKAGES, check=True, stdout=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"google-auth: the packages could not be installed from PyPI ({error})", file=sys.stderr)
        sys.exit(77)
    return python
