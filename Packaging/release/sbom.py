# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Writes the software bill of materials of an archive, in CycloneDX 1.6."""
import datetime
import hashlib
import json
import re
import subprocess
import tarfile
import uuid

from .common import DESCRIPTION, commit, epoch, repository, run, sha256, version


def digest(checkout, revision):
    """Returns the SHA-256 checksum of a package's sources: of 'git archive', which does not depend on the machine."""
    command = ["git", "-C", checkout, "archive", "--format=tar", revision]
    archive = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return hashlib.sha256(archive.stdout).hexdigest() if archive.returncode == 0 else None


def dependency(pin, checkouts):
    name = re.sub(r"\.git$", "", pin["location"].rsplit("/", 1)[-1])
    state = pin["state"]
    address = re.sub(r"^https?://|\.git$", "", pin["location"])
    identifier = f"pkg:swift/{address}@{state.get('version', state['revision'])}"
    component = {
        "type": "library", "bom-ref": identifier, "name": name, "version": state.get("version", state["revision"]), "purl": identifier,
        "externalReferences": [{"type": "vcs", "url": pin["location"]}],
        "properties": [{"name": "tessera:git-revision", "value": state["revision"]}],
    }
    if checksum := digest(checkouts / name, state["revision"]):
        component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        component["properties"].append({"name": "tessera:hash-of", "value": "git archive --format=tar REVISION"})
    return component


def files(archive):
    """Returns each file in the archive with its checksum."""
    with tarfile.open(archive) as tar:
        return [
            {
                "type": "file", "bom-ref": f"file:{member.name}", "name": member.name,
                "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(tar.extractfile(member).read()).hexdigest()}],
            }
            for member in tar.getmembers() if member.isfile()
        ]


def bill(archive, build):
    compiler = run("swift", "--version", stderr=subprocess.DEVNULL).splitlines()[0]
    runtime = re.search(r"\(swift-([\d.]+)-RELEASE\)|Swift version (\S+)", compiler)
    dependencies = [dependency(pin, build.checkouts) for pin in build.pins]
    dependencies.append({
        "type": "library", "bom-ref": "swift-runtime", "name": "Swift runtime and Foundation",
        "version": runtime[1] or runtime[2] if runtime else "unknown", "licenses": [{"license": {"id": "Apache-2.0"}}],
    })
    root = f"pkg:generic/{DESCRIPTION['name']}@{version()}"
    day = datetime.datetime.fromtimestamp(epoch(), datetime.timezone.utc)
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, f"{repository()}/{commit()}/{archive.name}").urn,
        "metadata": {
            "timestamp": day.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application", "bom-ref": root, "name": DESCRIPTION["name"], "version": version(), "purl": root,
                "licenses": [{"license": {"id": DESCRIPTION["license"]}}],
                "hashes": [{"alg": "SHA-256", "content": sha256(archive)}],
                "externalReferences": [{"type": "vcs", "url": repository()}],
                "properties": [{"name": "tessera:git-revision", "value": commit()}, {"name": "tessera:archive", "value": archive.name}],
            },
        },
        "components": dependencies + files(archive),
        "dependencies": [{"ref": root, "dependsOn": [each["bom-ref"] for each in dependencies]}],
    }
    return json.dumps(document, indent=2) + "\n"
