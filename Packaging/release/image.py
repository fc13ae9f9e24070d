# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Assembles the container image without a daemon, with umoci."""
import datetime
import pathlib
import re
import shutil
import subprocess
import tarfile

from .build import notices
from .common import (
    DESCRIPTION, MACHINE, OUTPUT, PROJECT, WORK, archive, commit, copy, epoch, fail, install, normalize, repository, run, stem, version, write,
)

CERTIFICATES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
USER = "65532:65532"


def libraries(programs):
    """Returns the shared libraries that the programs load, including the dynamic linker."""
    found = set()
    for program in programs:
        text = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
        if "not found" in text:
            fail(f"{program.name} needs a library that is not installed:\n{text}")
        found |= set(re.findall(r"(/\S+) \(0x", text))
    return sorted(found)


def licenses(files, root):
    """Copies the licenses of the Debian packages that contain the libraries."""
    for file in files:
        real = pathlib.Path(file).resolve()
        for candidate in [file, str(real), str(real).removeprefix("/usr")]:
            owner = subprocess.run(["dpkg-query", "--search", candidate], capture_output=True, text=True)
            if owner.returncode == 0:
                package = owner.stdout.split(":")[0]
                source = pathlib.Path("/usr/share/doc") / package / "copyright"
                if source.exists():
                    copy(source.resolve(), root / "usr/share/doc" / package / "copyright")
                break


def writable(file):
    """Writes a layer with the folders that the image's user can write to. `umoci insert` makes root the owner of all files."""
    user, group = map(int, USER.split(":"))
    with tarfile.open(file, "w", format=tarfile.GNU_FORMAT) as tar:
        for name, owner, mode in [("home", (0, 0), 0o755), ("home/tessera", (user, group), 0o700), ("tmp", (0, 0), 0o1777)]:
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode, entry.mtime = tarfile.DIRTYPE, mode, epoch()
            entry.uid, entry.gid = owner
            tar.addfile(entry)
    return file


def image(build):
    """Writes an OCI archive with the programs, the libraries that they load, CA certificates and licenses."""
    install("umoci", "ca-certificates")
    folder = WORK / "image"
    shutil.rmtree(folder, ignore_errors=True)
    root = folder / "root"
    programs = [build.programs[name] for name in DESCRIPTION["programs"]]
    for program in programs:
        copy(program, root / "usr/bin" / program.name, 0o755)
    loaded = libraries(programs)
    for library in loaded:
        # Each library has the path at which the program's dynamic linker looks for it.
        name = pathlib.Path(library)
        target = library if name.name.startswith("ld-linux") else f"/usr/lib/{name.name}"
        copy(name.resolve(), root / target.lstrip("/"), 0o755)
    licenses(loaded, root)
    copy(CERTIFICATES, root / "etc/ssl/certs/ca-certificates.crt")
    copy(PROJECT / "LICENSE", root / "usr/share/doc/tessera/LICENSE")
    write(root / "usr/share/doc/tessera/THIRD-PARTY-NOTICES.txt", notices(build))
    write(root / "etc/passwd", "tessera:x:65532:65532:tessera:/home/tessera:/nonexistent\n")
    write(root / "etc/group", "tessera:x:65532:\n")
    for name in ["proc", "dev"]:
        (root / name).mkdir(parents=True)
    normalize(root)
    layout, tag = folder / "layout", version()
    day = datetime.datetime.fromtimestamp(epoch(), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    history = ["--history.created", day, "--history.author", "Tessera", "--history.created_by", "Packaging/dist"]
    run("umoci", "init", "--layout", layout)
    run("umoci", "new", "--image", f"{layout}:{tag}")
    run("umoci", "insert", "--rootless", *history, "--image", f"{layout}:{tag}", root, "/")
    run("umoci", "raw", "add-layer", *history, "--image", f"{layout}:{tag}", writable(folder / "writable.tar"))
    labels = {"source": repository(), "version": version(), "revision": commit(), "licenses": DESCRIPTION["license"], "title": "tessera"}
    run(
        "umoci", "config", "--image", f"{layout}:{tag}", "--config.user", USER, "--config.entrypoint", "/usr/bin/tessera",
        "--config.workingdir", "/home/tessera", "--config.env", "HOME=/home/tessera", "--config.env", "LD_LIBRARY_PATH=/usr/lib",
        "--config.env", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt", "--config.env", "PATH=/usr/bin",
        "--architecture", {"x86_64": "amd64"}.get(MACHINE, MACHINE), "--os", "linux", "--created", day, *history,
        *[word for key, value in labels.items() for word in ("--config.label", f"org.opencontainers.image.{key}={value}")],
    )
    run("umoci", "gc", "--layout", layout)
    # skopeo would write the current time into the archive.
    return archive(layout, OUTPUT / f"{stem(DESCRIPTION)}.oci.tar", "", isCompressed=False)
