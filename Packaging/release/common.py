# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""The release's description, its files, and functions that the other modules share."""
import contextlib
import gzip
import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
PACKAGING = PROJECT / "Packaging"
# Tests set the variable, so that they do not replace a release.
FOLDER = pathlib.Path(os.environ.get("TESSERA_DIST_FOLDER", PROJECT / ".build"))
OUTPUT = FOLDER / "dist"
WORK = FOLDER / "dist-build"
VERSION_FILE = PROJECT / "Programs" / "Sources" / "TesseraConsole" / "ReleaseVersion.swift"
DESCRIPTION = json.loads((PACKAGING / "description.json").read_text())
MACHINE = {"aarch64": "arm64"}.get(platform.machine(), platform.machine())
DEBIAN = {"x86_64": "amd64", "arm64": "arm64"}
RPM = {"x86_64": "x86_64", "arm64": "aarch64"}


def fail(message):
    sys.exit(f"Dist: {message}")


def run(*command, **options):
    """Runs a command and returns its standard output. Fails with its output if the command does."""
    options.setdefault("stdout", subprocess.PIPE)
    result = subprocess.run([str(word) for word in command], text=True, **options)
    if result.returncode != 0:
        fail(f"'{' '.join(map(str, command[:4]))}' failed ({result.returncode}).\n{result.stdout or ''}")
    return result.stdout


def version():
    return re.search(r'number = "([0-9.]+)"', VERSION_FILE.read_text())[1]


def commit():
    return run("git", "-C", PROJECT, "rev-parse", "HEAD").strip()


def epoch():
    """Returns the commit's time, which is the time of every file in the release."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or run("git", "-C", PROJECT, "log", "-1", "--format=%ct"))


def repository():
    """Returns the URL of the repository: that of the workflow, or the one in the description."""
    if "GITHUB_REPOSITORY" in os.environ:
        return f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{os.environ['GITHUB_REPOSITORY']}"
    return DESCRIPTION["repository"]


def packages():
    """Returns the main package, followed by those that add programs to it."""
    return [DESCRIPTION, *DESCRIPTION["additions"]]


def stem(package, machine=MACHINE):
    return f"{package['name']}-{version()}-linux-{machine}"


def sha256(file):
    return hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest()


def needed(program):
    """Returns the shared libraries that a program links."""
    return re.findall(r"NEEDED +(\S+)", run("objdump", "-p", program))


def glibc(program):
    """Returns the newest version of glibc that a program's symbols require."""
    found = re.findall(r"GLIBC_([0-9.]+)", run("objdump", "-T", program))
    return max(found, key=lambda text: tuple(map(int, text.split("."))), default="0")


def write(file, text, mode=0o644):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text) if isinstance(text, bytes) else file.write_text(text)
    file.chmod(mode)


def copy(source, target, mode=0o644):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


def compressed(data):
    """Compresses data like 'gzip -9n'."""
    return gzip.compress(data.encode() if isinstance(data, str) else data, 9, mtime=0)


def normalize(folder):
    """Sets the permissions and times of a folder's files, so that they do not depend on the machine."""
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        os.utime(path, (epoch(), epoch()), follow_symlinks=False)


def archive(folder, file, root, isCompressed=True):
    """Writes an archive whose bytes depend only on the content of the files."""
    normalize(folder)

    def entry(info):
        info.uid = info.gid = 0
        info.uname = info.gname = "root"
        info.mtime = epoch()
        return info

    with open(file, "wb") as output, contextlib.ExitStack() as stack:
        stream = stack.enter_context(gzip.GzipFile("", "wb", 9, output, mtime=0)) if isCompressed else output
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as tar:
            for path in [*([folder] if root else []), *sorted(folder.rglob("*"))]:
                name = pathlib.PurePosixPath(root) / path.relative_to(folder)
                tar.add(path, str(name), recursive=False, filter=entry)
    return file


def install(*packages):
    """Installs Debian packages that are missing. Fails if this is not possible."""
    status = subprocess.run(
        ["dpkg-query", "--show", "--showformat", "${Package} ${db:Status-Status}\n", *packages],
        capture_output=True, text=True,
    ).stdout
    missing = [package for package in packages if f"{package} installed" not in status.splitlines()]
    if not missing:
        return
    print(f"Dist: installing {', '.join(missing)}.", file=sys.stderr)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "install", "--yes", "--quiet=2", "--no-install-recommends", *missing]
    if subprocess.run(command, env=environment, capture_output=True).returncode != 0:
        subprocess.run(["apt-get", "update", "--quiet=2"], env=environment, capture_output=True)
        result = subprocess.run(command, env=environment, capture_output=True, text=True)
        if result.returncode != 0:
            fail(f"apt could not install {', '.join(missing)}.\n{result.stderr}")
