# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Writes the Debian and RPM packages, the Homebrew formula and the artifact bundle."""
import email.utils
import hashlib
import os
import re
import shutil
import textwrap
import time
import zipfile

from .build import GENERATOR, stage
from .common import (
    DEBIAN, DESCRIPTION, MACHINE, OUTPUT, PACKAGING, PROJECT, RPM, WORK, compressed, copy, epoch, fail, install, needed, normalize,
    repository, run, sha256, stem, version, write,
)


def depends(build, package):
    """Returns Debian's dependencies, from the libraries that the programs link."""
    libraries = {library for name in package["programs"] for library in needed(build.programs[name])}
    # A program that was not built for a release loads Swift's own libraries.
    swift = re.compile(r"lib(swift|_?Foundation|BlocksRuntime|dispatch)")
    if unknown := sorted(each for each in libraries if each not in DESCRIPTION["debian"] and not swift.match(each)):
        fail(f"no Debian package is known for {', '.join(unknown)}. Add them to Packaging/description.json.")
    found = {DESCRIPTION["debian"][library] for library in libraries if library in DESCRIPTION["debian"]}
    # Debian's policy for programs that start Debian's default browser.
    if any(b"sensible-browser" in build.programs[name].read_bytes() for name in package["programs"]):
        found.add("sensible-utils")
    return ([f"{DESCRIPTION['name']} (= {version()}-1)"] if package is not DESCRIPTION else []) + sorted(found)


def extended(package):
    """Returns the long description, one paragraph after the other."""
    return DESCRIPTION["description"] if package is DESCRIPTION else [f"This package adds programs to {DESCRIPTION['name']}."]


def debian(build, package):
    name = package["name"]
    root = stage(build, package, WORK / "deb" / name, "usr", isPackage=True)
    documents = root / "usr" / "share" / "doc" / name
    entry = f"""{name} ({version()}-1) unstable; urgency=medium

  * Release {version()}. See changelog.gz for the changes.

 -- {DESCRIPTION['maintainer']}  {email.utils.formatdate(epoch())}
"""
    write(documents / "changelog.Debian.gz", compressed(entry))
    # The license is part of every Debian system, and lintian rejects other copies.
    (documents / "LICENSE").unlink()
    copyright = f"""Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Tessera
Source: {repository()}

Files: *
Copyright: the Tessera authors
License: Apache-2.0
 On Debian systems, the complete text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0. THIRD-PARTY-NOTICES.txt in this
 directory has the licenses of the packages that the programs contain.
"""
    write(documents / "copyright", copyright)
    wrapped = "\n .\n".join("\n".join(textwrap.wrap(text, 76, initial_indent=" ", subsequent_indent=" ")) for text in extended(package))
    size = sum(file.stat().st_size for file in root.rglob("*") if file.is_file()) // 1024 + 1
    fields = {
        "Package": name, "Version": f"{version()}-1", "Architecture": DEBIAN[MACHINE], "Maintainer": DESCRIPTION["maintainer"],
        "Installed-Size": size, "Depends": ", ".join(depends(build, package)),
        "Recommends": ", ".join(DESCRIPTION["recommends"]) if package is DESCRIPTION else "",
        "Suggests": ", ".join([*DESCRIPTION["suggests"], *(each["name"] for each in DESCRIPTION["additions"])]) if package is DESCRIPTION else "",
        "Section": "net", "Priority": "optional", "Homepage": repository(), "Description": f"{package['summary']}\n{wrapped}",
    }
    sums = [
        f"{hashlib.md5(file.read_bytes(), usedforsecurity=False).hexdigest()}  {file.relative_to(root)}\n"
        for file in sorted(root.rglob("*")) if file.is_file()
    ]
    write(root / "DEBIAN" / "control", "".join(f"{key}: {value}\n" for key, value in fields.items() if value != ""))
    write(root / "DEBIAN" / "md5sums", "".join(sums))
    normalize(root)
    file = OUTPUT / f"{name}_{version()}-1_{DEBIAN[MACHINE]}.deb"
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch())}
    run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, file, env=environment)
    return file


def rpm(build, package):
    install("rpm")
    name = package["name"]
    root = stage(build, package, WORK / "rpm" / name / "root", "usr", isPackage=True)
    completions = root / "usr" / "share" / "zsh"
    if completions.exists():
        (completions / "vendor-completions").rename(completions / "site-functions")
        normalize(root)
    listed = [f"/{file.relative_to(root)}" for file in sorted(root.rglob("*")) if file.is_file()]
    documents = [path for path in listed if "/share/doc/" in path or "/share/man/" in path]
    specification = (PACKAGING / "tessera.spec.in").read_text()
    values = {
        "NAME": name, "VERSION": version(), "SUMMARY": package["summary"], "LICENSE": DESCRIPTION["license"], "URL": repository(),
        "REQUIRES": f"Requires: {DESCRIPTION['name']} = {version()}" if package is not DESCRIPTION else "",
        "DESCRIPTION": "\n\n".join(textwrap.fill(text, 76) for text in extended(package)), "ROOT": str(root),
        "FILES": "\n".join([
            *[f"%dir /{folder.relative_to(root)}" for folder in sorted((root / "usr/share/doc").glob("**/")) if folder.name != "doc"],
            *[("%doc " if path in documents else "") + path for path in listed],
        ]),
    }
    for key, value in values.items():
        specification = specification.replace(f"@{key}@", value)
    folder = WORK / "rpm" / name
    write(folder / f"{name}.spec", specification)
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch())}
    run("rpmbuild", "-bb", "--quiet", "--target", RPM[MACHINE], "--define", f"_topdir {folder / 'top'}", folder / f"{name}.spec",
        env=environment, stderr=None)
    built = next((folder / "top" / "RPMS").rglob("*.rpm"))
    return shutil.move(built, OUTPUT / built.name)


def formula(folder):
    """Writes the Homebrew formula with the checksums of the archives in a folder."""
    blocks = []
    for machine, condition in [("x86_64", "on_intel"), ("arm64", "on_arm")]:
        archive = folder / f"{stem(DESCRIPTION, machine)}.tar.gz"
        if archive.exists():
            url = f"{repository()}/releases/download/{version()}/{archive.name}"
            blocks.append(f'    {condition} do\n      url "{url}"\n      sha256 "{sha256(archive)}"\n    end')
    if not blocks:
        fail(f"{folder} has no archive.")
    text = (PACKAGING / "tessera.rb.in").read_text()
    values = {"SUMMARY": DESCRIPTION["summary"], "HOMEPAGE": repository(), "VERSION": version(), "ARCHIVES": "\n".join(blocks)}
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    write(folder / "tessera.rb", text)
    return folder / "tessera.rb"


def bundle(build):
    """Writes the artifact bundle of the generator, which the command plugin can use without a build."""
    name = f"{GENERATOR}.artifactbundle"
    triple = {"x86_64": "x86_64-unknown-linux-gnu", "arm64": "aarch64-unknown-linux-gnu"}[MACHINE]
    root = WORK / "bundle" / name
    shutil.rmtree(root, ignore_errors=True)
    path = f"{GENERATOR}-{version()}-linux-{MACHINE}/bin/{GENERATOR}"
    copy(build.programs[GENERATOR], root / path, 0o755)
    copy(PROJECT / "LICENSE", root / "LICENSE")
    info = f"""{{
  "schemaVersion": "1.0",
  "artifacts": {{
    "{GENERATOR}": {{
      "version": "{version()}",
      "type": "executable",
      "variants": [{{ "path": "{path}", "supportedTriples": ["{triple}"] }}]
    }}
  }}
}}
"""
    write(root / "info.json", info)
    normalize(root)
    file = OUTPUT / f"{GENERATOR}-{version()}-linux-{MACHINE}.artifactbundle.zip"
    day = time.gmtime(epoch())[:6]
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for each in sorted(root.rglob("*")):
            if each.is_file():
                info = zipfile.ZipInfo(f"{name}/{each.relative_to(root)}", day)
                info.external_attr = (0o100755 if each.stat().st_mode & 0o100 else 0o100644) << 16
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, each.read_bytes())
    return file
