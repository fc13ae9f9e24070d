# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Small programs in place of the real ones, so that the packaging can be tested in seconds, without a Swift build."""
import json

from .build import GENERATOR
from .common import PACKAGING, commit, install, packages, run, version, write

PROGRAM = r"""
#include <stdio.h>
#include <string.h>
int main(int count, char **words) {
    if (count > 1 && !strcmp(words[1], "--experimental-dump-help")) puts(HELP);
    else if (count > 2 && !strcmp(words[1], "--generate-completion-script")) printf("# %s\n", words[2]);
    else if (count > 1 && !strcmp(words[1], "--version")) puts(VERSION);
    return 0;
}
"""


def write_samples(folder):
    """Compiles the programs, and writes a Package.resolved and a dependency. Returns dist's arguments."""
    install("gcc", "libc6-dev")
    text = json.dumps(json.dumps(json.loads((PACKAGING / "Tests" / "help.json").read_text())), ensure_ascii=False)
    line = json.dumps(f"tessera {version()} ({commit()[:12]}, test)")
    write(folder / "program.c", f"#define HELP {text}\n#define VERSION {line}\n{PROGRAM}")
    for name in [GENERATOR, *(name for package in packages() for name in package["programs"])]:
        (folder / "programs").mkdir(exist_ok=True)
        run("gcc", "-O1", "-fPIE", "-pie", "-Wl,-z,now", "-o", folder / "programs" / name, folder / "program.c")
    checkout = folder / "checkouts" / "swift-example"
    write(checkout / "LICENSE.txt", "The license of swift-example\n")
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"]
    run("git", "-C", checkout, "init", "--quiet")
    run("git", "-C", checkout, "add", "--all")
    run("git", "-C", checkout, *identity, "commit", "--quiet", "--message", "Release")
    revision = run("git", "-C", checkout, "rev-parse", "HEAD").strip()
    location = "https://github.com/example/swift-example.git"
    pin = {"identity": "swift-example", "kind": "remoteSourceControl", "location": location,
           "state": {"revision": revision, "version": "1.2.3"}}
    write(folder / "Package.resolved", json.dumps({"pins": [pin], "version": 3}))
    return ["--binaries", folder / "programs", "--resolved", folder / "Package.resolved", "--checkouts", folder / "checkouts"]
