# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Builds the programs of a commit, and collects what is installed with them."""
import json
import os
import pathlib
import shutil
import subprocess

from . import manual
from .common import (
    DESCRIPTION, MACHINE, PACKAGING, PROJECT, WORK, commit, compressed, copy, epoch, fail, normalize, packages, run, version, write,
)

GENERATOR = "google-api-generator"
# Pages that messages of the command refer to, or that describe it.
PAGES = ["Agent.md", "CommandLine.md", "Errors.md", "GoogleSetup.md", "LocalProvider.md"]
# The length of the path of the folder with the build.
LENGTH = 120
# What each shell calls the file with the completions, below /usr/share or in an archive's 'share'.
COMPLETIONS = {
    "bash": "bash-completion/completions/tessera",
    "zsh": "zsh/site-functions/_tessera",
    "fish": "fish/vendor_completions.d/tessera.fish",
}


class Build:
    """The programs, and the packages that they were built from."""

    def __init__(self, programs, resolved, checkouts):
        self.programs, self.resolved, self.checkouts = programs, resolved, checkouts

    @property
    def pins(self):
        return sorted(json.loads(self.resolved.read_text())["pins"], key=lambda pin: pin["identity"])


def export(work):
    """Writes the files of the commit to a folder. `git archive` also writes the commit into the version."""
    source = work / "source"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    archive = subprocess.run(["git", "-C", PROJECT, "archive", "HEAD"], check=True, stdout=subprocess.PIPE).stdout
    subprocess.run(["tar", "--extract", "--directory", source], check=True, input=archive)
    return source


def flags(work, sdk=None):
    """Returns the arguments of 'swift build'. The names of folders must not be in the programs."""
    words = ["-c", "release", "--scratch-path", work / "scratch", "--disable-index-store"]
    words += ["-Xlinker", "--gc-sections", "-Xlinker", "--build-id=none"]
    words += ["--swift-sdk", sdk] if sdk else ["--static-swift-stdlib"]
    for path, name in [(work / "scratch", "/tessera/build"), (work / "source", "/tessera"), (work, "/tessera")]:
        words += ["-Xswiftc", "-file-prefix-map", "-Xswiftc", f"{path}={name}"]
        words += [word for option in ["-Xcc", "-Xcxx"] for word in (option, f"-ffile-prefix-map={path}={name}")]
    return [*words, "-Xswiftc", "-gnone", "-Xcc", "-g0", "-Xcxx", "-g0"]


def settings():
    """Returns the traits, and the environment without the variables of Scripts/settings."""
    text = run("bash", "-c", "source Scripts/settings && echo $TRAITS", cwd=PROJECT)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TESSERA_")}
    environment |= {"SWIFT_DETERMINISTIC_HASHING": "1", "SOURCE_DATE_EPOCH": str(epoch()), "ZERO_AR_DATE": "1"}
    return text.strip(), environment


def padded(work):
    """Returns a folder in `work` whose path has the same length in all builds.

    Where a closure must not escape, the compiler writes the length of a file's name before its prefix is replaced.
    """
    padding = LENGTH - len(f"{work}/")
    if padding < 1:
        fail(f"the path {work} is too long. It can have at most {LENGTH - 2} characters.")
    return work / ("_" * padding)


def build(work=WORK, sdk=None):
    """Builds and strips all programs. The dependencies are resolved from scratch, unless the folder has a build."""
    work = padded(work)
    if run("git", "-C", PROJECT, "status", "--porcelain"):
        print("Dist: building the last commit, without the changes in the working copy.")
    source, (traits, environment) = export(work), settings()
    arguments = flags(work, sdk)

    def swift(*words, **options):
        return run("swift", "build", *arguments, *words, env=environment, **options)

    swift("--package-path", source, "--traits", traits, "--product", GENERATOR, stdout=None)
    products = [name for package in packages() for name in package["programs"]]
    for name in products:
        swift("--package-path", source / "Programs", "--product", name, stdout=None)
    check_versions([source / "Package.resolved", source / "Programs" / "Package.resolved"])
    folder = pathlib.Path(swift("--package-path", source / "Programs", "--show-bin-path").strip())
    return Build(strip({name: folder / name for name in [*products, GENERATOR]}, work), source / "Programs" / "Package.resolved",
                 work / "scratch" / "checkouts")


def check_versions(files):
    """Fails if the build resolved other versions of the dependencies than the tested ones in Scripts/dependencies."""
    lines = (PROJECT / "Scripts" / "dependencies").read_text().splitlines()
    tested = dict(line.split() for line in lines if line and not line.startswith("#"))
    for file in files:
        for pin in json.loads(file.read_text())["pins"] if file.exists() else []:
            version = pin["state"].get("version")
            if tested.get(pin["location"]) != version:
                fail(f"{pin['identity']} {version} was resolved, but {tested.get(pin['location'], 'no version')} was tested. "
                     "Review the change, run the tests and then 'Scripts/check-dependencies --update'.")


def prebuilt(folder, resolved, checkouts, work=WORK):
    """Uses programs that were built before, for tests of the packaging."""
    names = [name for package in packages() for name in package["programs"]] + [GENERATOR]
    if missing := [name for name in names if not (folder / name).exists()]:
        fail(f"{folder} has no {', '.join(missing)}.")
    return Build(strip({name: folder / name for name in names}, work), resolved, checkouts)


def strip(programs, work):
    folder = work / "stripped"
    shutil.rmtree(folder, ignore_errors=True)
    for name, file in programs.items():
        copy(file, folder / name, 0o755)
        # The second section has hashes for incremental builds, which depend on the names of folders.
        run("strip", "--strip-all", "--remove-section=.comment", "--remove-section=.swift_modhash", folder / name)
    return {name: folder / name for name in programs}


def notices(build):
    """Returns the licenses of the packages and of the Swift runtime, which is linked statically."""
    rule = "=" * 80
    parts = [
        "Third-party notices\n\nThe programs contain code of the following packages. "
        "The Swift standard library, Foundation and\nlibdispatch are licensed under the Apache License 2.0 "
        "with the Runtime Library Exception (https://swift.org/LICENSE.txt).\n"
    ]
    missing = []
    for pin in build.pins:
        name = pathlib.PurePath(pin["location"]).name.removesuffix(".git")
        folder = build.checkouts / name
        files = sorted(
            file for pattern in ["LICENSE*", "LICENCE*", "NOTICE*", "COPYING*"] for file in folder.glob(pattern) if file.is_file()
        )
        if not any(file.name.startswith(("LICEN", "COPYING")) for file in files):
            missing.append(name)
        texts = [file.read_text(errors="replace").strip() for file in files]
        parts.append("\n\n".join([f"{rule}\n{name} {pin['state'].get('version', pin['state']['revision'])}\n{pin['location']}\n{rule}", *texts]))
    if missing:
        fail(f"no license was found for {', '.join(missing)}.")
    return "\n\n".join(parts) + "\n"


def changes():
    """Returns the section of this version in CHANGELOG.md."""
    text = (PROJECT / "CHANGELOG.md").read_text()
    start = text.find(f"## [{version()}]")
    if start < 0:
        fail(f"CHANGELOG.md has no section for {version()}.")
    end = text.find("\n## [", start + 1)
    return text[text.index("\n", start):end if end > 0 else None].strip() + "\n"


def stage(build, package, root, prefix="", isPackage=False):
    """Installs a package's files into a folder, as 'make install' would. In a Debian or RPM package, they are compressed."""
    shutil.rmtree(root, ignore_errors=True)
    base = root / prefix
    for name in package["programs"]:
        copy(build.programs[name], base / "bin" / name, 0o755)
    share = base / "share"
    documents = share / "doc" / package["name"]
    copy(PROJECT / "LICENSE", documents / "LICENSE")
    write(documents / "THIRD-PARTY-NOTICES.txt", notices(build))
    if isPackage:
        write(documents / "changelog.gz", compressed((PROJECT / "CHANGELOG.md").read_text()))
    else:
        copy(PROJECT / "CHANGELOG.md", documents / "CHANGELOG.md")
        copy(build.resolved, documents / "Package.resolved")
    if package is not DESCRIPTION:
        normalize(root)
        return root
    for name in PAGES:
        copy(PROJECT / "Docs" / name, documents / "Docs" / name)
    for file, text in manual.pages({name: build.programs[name] for name in package["programs"]}).items():
        page = share / "man" / "man1" / file
        write(page.with_name(f"{file}.gz"), compressed(text)) if isPackage else write(page, text)
    for shell, path in COMPLETIONS.items():
        path = path.replace("site-functions", "vendor-completions") if isPackage and shell == "zsh" else path
        write(share / path, run(build.programs["tessera"], "--generate-completion-script", shell))
    for unit in package["units"]:
        copy(PACKAGING / "systemd" / unit, base / "lib" / "systemd" / "user" / unit)
    normalize(root)
    return root
