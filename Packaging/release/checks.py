# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""The steps of dist-check. Each gets an empty folder, and returns a short result or raises Failure."""
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

from .build import GENERATOR
from .common import (
    DEBIAN, DESCRIPTION, MACHINE, OUTPUT, PACKAGING, PROJECT, commit, glibc, install, needed, packages, sha256,
    stem, version,
)

GLIBC = (2, 35)
LIMIT = 40_000_000
# Libraries that the main package must not need.
DATABASES = {"libpq.so.5", "libsqlite3.so.0"}
# The arguments of 'dist', if small programs are packed in place of the real ones.
SAMPLES = []
# Steps that need the real programs.
REAL = {"self-test", "libraries", "chroot", "socket"}


class Failure(Exception):
    pass


def expect(condition, message):
    if not condition:
        raise Failure(message)


def call(*command, **options):
    options = {"check": True, "capture_output": True, "text": True, **options}
    return subprocess.run([str(word) for word in command], **options)


def archive(package=DESCRIPTION):
    return OUTPUT / f"{stem(package)}.tar.gz"


def unpack(folder, package=DESCRIPTION):
    with tarfile.open(archive(package)) as tar:
        tar.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(folder)
    return folder / stem(package)


def debian(package=DESCRIPTION):
    return OUTPUT / f"{package['name']}_{version()}-1_{DEBIAN[MACHINE]}.deb"


def selftest(folder):
    """Packs small programs in place of the real ones, and checks the result."""
    environment = {name: value for name, value in os.environ.items() if name != "TESSERA_DIST_FOLDER"}
    result = call(PACKAGING / "dist-check", "--samples", env=environment, check=False)
    expect(result.returncode == 0, f"\n{result.stdout}{result.stderr}")
    return f"{len(result.stdout.splitlines())} steps passed"


def contents(folder):
    """The archive has every part, is smaller than 40 MB, and its programs start."""
    root, total = unpack(folder), 0
    for path in ["bin/tessera", "share/doc/tessera/LICENSE", "share/doc/tessera/THIRD-PARTY-NOTICES.txt", "share/man/man1/tessera.1",
                 "share/doc/tessera/CHANGELOG.md", "share/doc/tessera/Docs/GoogleSetup.md", "share/doc/tessera/Package.resolved",
                 "share/bash-completion/completions/tessera",
                 "share/zsh/site-functions/_tessera", "share/fish/vendor_completions.d/tessera.fish",
                 *(f"lib/systemd/user/{unit}" for unit in DESCRIPTION["units"])]:
        expect((root / path).is_file(), f"{path} is missing.")
    for name in DESCRIPTION["programs"]:
        text = call("file", "--brief", root / "bin" / name).stdout if shutil.which("file") else "stripped"
        expect("not stripped" not in text, f"{name} is not stripped.")
    total = archive().stat().st_size
    expect(total < LIMIT, f"the archive has {total:,} bytes.")
    text = call(root / "bin" / "tessera", "--version", env={"HOME": str(folder), "PATH": "/usr/bin:/bin"}).stdout
    expect(version() in text and commit()[:12] in text, f"--version prints '{text.strip()}'.")
    return f"{total / 1e6:.1f} MB, {text.strip()}"


def symbols(folder):
    """The programs require at most glibc 2.35 ('objdump -T')."""
    found = {}
    for package in packages():
        root = unpack(folder, package)
        for name in package["programs"]:
            found[name] = glibc(root / "bin" / name)
    newer = [f"{name} ({text})" for name, text in found.items() if tuple(map(int, text.split("."))) > GLIBC]
    expect(not newer, f"a newer glibc is required by {', '.join(newer)}.")
    return f"at most {max(found.values(), key=lambda text: tuple(map(int, text.split('.'))))}"


def libraries(folder):
    """The programs need no library of Swift's, and those of the main package no database library."""
    for package in packages():
        root = unpack(folder, package)
        for name in package["programs"]:
            found = needed(root / "bin" / name)
            swift = [each for each in found if re.match(r"lib(swift|_?Foundation|dispatch|BlocksRuntime)", each)]
            expect(not swift, f"{name} needs {', '.join(swift)}.")
            if package is DESCRIPTION:
                expect(not DATABASES & set(found), f"{name} needs {', '.join(DATABASES & set(found))}.")
    return "only the system's"


def man(folder):
    """The manual pages have no problems ('mandoc -T lint')."""
    install("mandoc")
    pages = sorted((unpack(folder) / "share/man/man1").glob("*.1"))
    result = call("mandoc", "-T", "lint", *pages, check=False)
    # The pages that a page refers to are not installed here.
    problems = [line for line in result.stdout.splitlines() if "referenced manual not found" not in line]
    expect(not problems, "\n" + "\n".join(problems[:20]))
    names = {page.name for page in pages}
    for page in pages:
        for name in re.findall(r"^\.Xr (\S+) 1", page.read_text(), re.MULTILINE):
            expect(f"{name}.1" in names, f"{page.name} refers to {name}, which has no page.")
    return f"{len(pages)} pages"


def completions(folder):
    """Each shell can read its completions."""
    install("zsh", "fish")
    share = unpack(folder) / "share"
    for shell, file in [("bash", "bash-completion/completions/tessera"), ("zsh", "zsh/site-functions/_tessera"),
                        ("fish", "fish/vendor_completions.d/tessera.fish")]:
        call(shell, "-n", share / file)
    return "bash, zsh, fish"


def sbom(folder):
    """The bill of materials has each resolved package, and its checksums are those of the files."""
    for package in packages():
        document = json.loads((OUTPUT / f"{package['name']}-linux-{MACHINE}.cdx.json").read_text())
        checksum = document["metadata"]["component"]["hashes"][0]["content"]
        expect(checksum == sha256(archive(package)), f"the checksum of {archive(package).name} differs.")
        root = unpack(folder, package)
        listed = {each["name"]: each for each in document["components"]}
        files = [file for file in root.rglob("*") if file.is_file()]
        for file in files:
            name = str(file.relative_to(folder))
            expect(name in listed, f"{name} is not listed.")
            expect(listed[name]["hashes"][0]["content"] == sha256(file), f"the checksum of {name} differs.")
        pins = json.loads((root / "share/doc" / package["name"] / "Package.resolved").read_text())["pins"]
        for pin in pins:
            found = next((each for each in listed.values() if each.get("purl", "").lower().endswith(
                re.sub(r"^https?://|\.git$", "", pin["location"]).lower() + "@" + pin["state"]["version"])), None)
            expect(found, f"{pin['identity']} {pin['state']['version']} is not listed.")
            expect(found.get("hashes"), f"{pin['identity']} has no checksum.")
    return f"{len(pins)} packages, {len(files)} files"


def schema(folder):
    """The bill of materials follows the schema of CycloneDX."""
    environment = PROJECT / ".build" / "sbom-tools"
    if not (environment / "bin" / "python").exists():
        call(sys.executable, "-m", "venv", environment)
        call(environment / "bin" / "pip", "install", "--quiet", "cyclonedx-python-lib[json-validation]==11.6.0")
    program = """
import pathlib, sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
for file in sys.argv[1:]:
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(pathlib.Path(file).read_text())
    if error: sys.exit(f"{file}: {error}")
"""
    files = sorted(OUTPUT.glob("*.cdx.json"))
    call(environment / "bin" / "python", "-c", program, *files)
    return f"{len(files)} files"


def deb(folder):
    """lintian finds no errors in the Debian packages."""
    install("lintian")
    for package in packages():
        result = call("lintian", "--allow-root", "--fail-on", "error", debian(package), check=False)
        expect(result.returncode == 0, "\n" + result.stdout + result.stderr)
    listing = call("dpkg-deb", "--contents", debian()).stdout
    for path in ["./usr/bin/tessera", "man1/tessera.1.gz", "completions/tessera", *(f"systemd/user/{unit}" for unit in DESCRIPTION["units"])]:
        expect(path in listing, f"{path} is missing.")
    expect(not re.search(r"\./(etc|var)/", listing), "the package has files outside of /usr.")
    return call("dpkg-deb", "--field", debian(), "Depends").stdout.strip()


def units(folder):
    """systemd accepts the units of the agent, including the socket's."""
    install("systemd")
    for unit in sorted((PACKAGING / "systemd").iterdir()):
        # The program is not installed here.
        text = unit.read_text().replace("/usr/bin/tessera", "/bin/true")
        (folder / unit.name).write_text("\n".join(line for line in text.splitlines() if not line.startswith("Documentation=")) + "\n")
    for unit in sorted(folder.iterdir()):
        result = call("systemd-analyze", "--user", "verify", unit, check=False, env={**os.environ, "XDG_RUNTIME_DIR": str(folder)})
        problems = [line for line in result.stderr.splitlines() if str(folder) in line or unit.name in line]
        expect(result.returncode == 0 and not problems, "\n" + result.stderr)
    return ", ".join(sorted(unit.name for unit in folder.iterdir() if unit.is_file()))


def socket(folder):
    """The agent accepts the socket of systemd-socket-activate."""
    if "tessera-agent.socket" not in DESCRIPTION["units"]:
        return "skipped, because Packaging/description.json does not list tessera-agent.socket"
    root, path = unpack(folder), folder / "run" / "agent.sock"
    path.parent.mkdir(mode=0o700)
    environment = {"HOME": str(folder), "XDG_RUNTIME_DIR": str(path.parent), "PATH": "/usr/bin:/bin"}
    command = ["systemd-socket-activate", f"--listen={path}", *(f"--setenv={name}" for name in environment),
               root / "bin/tessera", "agent", "start", "--socket", path, "--store", f"file:{folder}/store"]
    with subprocess.Popen([str(word) for word in command], env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            while "Listening" not in (line := process.stderr.readline()):
                expect(line, "systemd-socket-activate does not listen.")
            text = call("curl", "--silent", "--max-time", "10", "--unix-socket", path, "http://localhost/v1/status").stdout
            expect("version" in text, f"the agent's response is '{text}'.")
        finally:
            process.terminate()
    return text.strip()


def rpm(folder):
    """The RPM packages have the same files as the Debian packages."""
    install("rpm")
    for package in packages():
        file = next(OUTPUT.glob(f"{package['name']}-{version()}-1.*.rpm"))
        listing = set(call("rpm", "--query", "--list", "--package", file).stdout.split())
        for name in package["programs"]:
            expect(f"/usr/bin/{name}" in listing, f"{name} is missing in {file.name}.")
        required = call("rpm", "--query", "--requires", "--package", file).stdout
        expect("CURL_OPENSSL" not in required, f"{file.name} requires Debian's version of libcurl.")
        owners = set(call("rpm", "--query", "--queryformat", "[%{FILEUSERNAME} ]", "--package", file).stdout.split())
        expect(owners == {"root"}, f"files in {file.name} belong to {owners}.")
    return "written and read, not installed"


def formula(folder):
    """The Homebrew formula is valid Ruby with the archive's checksum ('ruby -c')."""
    install("ruby")
    file = OUTPUT / "tessera.rb"
    call("ruby", "-c", file)
    expect(sha256(archive()) in file.read_text(), "the checksum differs.")
    expect("@" not in re.sub(r"#.*", "", file.read_text()), "a name was not replaced.")
    for line in (OUTPUT / "SHA256SUMS").read_text().splitlines():
        checksum, name = line.split("  ")
        expect(sha256(OUTPUT / name) == checksum, f"the checksum of {name} differs.")
    return "written, not installed"


def image(folder):
    """The image runs as a user without privileges."""
    install("umoci", "skopeo", "bubblewrap")
    call("skopeo", "--insecure-policy", "copy", f"oci-archive:{OUTPUT / (stem(DESCRIPTION) + '.oci.tar')}:{version()}", f"oci:{folder}/layout:{version()}")
    configuration = json.loads(call("skopeo", "inspect", "--config", f"oci:{folder}/layout:{version()}").stdout)
    user = configuration["config"]["User"]
    expect(user.split(":")[0] not in ("", "0", "root"), "the image's user is root.")
    entries = {}
    for blob in (folder / "layout" / "blobs" / "sha256").iterdir():
        if tarfile.is_tarfile(blob):
            # umoci does not write the end of an archive.
            with tarfile.open(blob) as layer, contextlib.suppress(tarfile.ReadError):
                for entry in layer:
                    entries[entry.name.strip("./")] = entry
    expect(str(entries["home/tessera"].uid) == user.split(":")[0], "the image's user does not own its home directory.")
    expect(entries["tmp"].mode & 0o7777 == 0o1777, "the image's user cannot write to /tmp.")
    call("umoci", "unpack", "--rootless", "--image", f"{folder}/layout:{version()}", folder / "bundle")
    root = folder / "bundle" / "rootfs"
    allowed = ("bin/", "lib", "usr/bin/", "usr/lib", "usr/share/doc/", "etc/ssl/certs/", "etc/passwd", "etc/group")
    other = [path for file in root.rglob("*") if file.is_file() and not (path := str(file.relative_to(root))).startswith(allowed)]
    expect(not other, f"the image has {', '.join(other[:5])}.")
    notices = root / "usr/share/doc/tessera/THIRD-PARTY-NOTICES.txt"
    expect(notices.is_file(), "the image does not have the licenses of the packages.")
    variables = dict(pair.split("=", 1) for pair in configuration["config"]["Env"])
    if call("bwrap", "--unshare-all", "--ro-bind", "/", "/", "true", check=False).returncode == 0:
        number, group = user.split(":")
        words = [word for pair in variables.items() for word in ("--setenv", *pair)]
        command = ["bwrap", "--unshare-all", "--uid", number, "--gid", group, "--ro-bind", root, "/", "--proc", "/proc", "--dev", "/dev",
                   "--clearenv", *words]
    else:
        # In a container, bwrap cannot create a namespace.
        command = ["chroot", f"--userspec={user}", root]
    text = call(*command, "/usr/bin/tessera", "--version", env={**variables, "PATH": os.environ["PATH"]}).stdout
    expect(version() in text, f"--version prints '{text.strip()}'.")
    size = (OUTPUT / f"{stem(DESCRIPTION)}.oci.tar").stat().st_size
    return f"{size / 1e6:.1f} MB, {text.strip()}"


def bundle(folder):
    """The artifact bundle has the generator at the path that its description names, and a command plugin can use it."""
    file = OUTPUT / f"{GENERATOR}-{version()}-linux-{MACHINE}.artifactbundle.zip"
    call(sys.executable, "-m", "zipfile", "-e", file, folder)
    root = folder / f"{GENERATOR}.artifactbundle"
    description = json.loads((root / "info.json").read_text())
    program = root / description["artifacts"][GENERATOR]["variants"][0]["path"]
    program.chmod(0o755)
    expect(call(program, "--help", check=False).returncode in (0, 2), "the generator does not start.")
    size = f"{file.stat().st_size / 1e6:.1f} MB"
    if SAMPLES:
        return size
    package = folder / "package"
    shutil.copytree(PACKAGING / "Tests" / "BundleConsumer", package)
    shutil.copytree(PROJECT / "Plugins" / "GenerateGoogleAPI", package / "Plugins" / "GenerateGoogleAPI")
    shutil.copytree(root, package / root.name)
    output = call("swift", "package", "--package-path", package, "--allow-writing-to-package-directory", "generate-google-api",
                  "notes.v1.json", check=False)
    generated = package / "Sources" / "GoogleNotesV1" / "NotesV1.swift"
    expect(generated.is_file(), f"the command plugin generated nothing:\n{output.stdout}{output.stderr}")
    return f"{size}, the command plugin generated a client"


def readme(file):
    """Returns the shell commands under README's 'Try it', with a local archive and without a browser."""
    section = (PROJECT / "README.md").read_text().split("## Try it\n")[1].split("\n## ")[0]
    text = "\n".join(re.findall(r"```sh\n(.*?)```", section, re.DOTALL))
    expect(f"download/{version()}/tessera-{version()}-linux-x86_64.tar.gz | tar" in text, "README has no command that installs the archive.")
    expect("\ntessera provider" in text and "\ntessera login" in text, "README has no commands that sign in.")
    text = re.sub(r"curl \S+ \S+", f"cat {file}", text.replace("linux-x86_64", f"linux-{MACHINE}"))
    text = text.replace("\ntessera demo\n", "\ntessera demo --headless\n")
    # The user's time to type a command is longer than the provider's time to start.
    text = text.replace("\ntessera login", "\nuntil test -s client_secret.json; do sleep 0.1; done\ntessera login")
    return f"set -e\nexport BROWSER='tessera-provider walk'\ntrap 'kill $!' EXIT\n{text}"


def chroot(folder):
    """The Debian package installs in a bare system, signs in at the local provider, and is removed completely."""
    install("debootstrap", "debian-archive-keyring")
    root = folder / "root"
    call("debootstrap", "--variant=minbase", "bookworm", root)
    shutil.copyfile(debian(), root / "tmp" / "tessera.deb")
    script = """set -e
export DEBIAN_FRONTEND=noninteractive HOME=/root LC_ALL=C.UTF-8
apt-get update --quiet=2
# dpkg still lists a removed package that has not been purged, such as libgssapi-krb5-2.
installed() { dpkg-query --show --showformat '${db:Status-Status} ${Package}\\n' | sed -n 's/^installed //p' | sort; }
installed >/tmp/before
apt-get install --yes --quiet=2 --no-install-recommends /tmp/tessera.deb >/dev/null
tessera --version
cd /root
if [ -z "$SAMPLES" ]; then
    tessera demo --headless >/dev/null
    tessera-provider --json >/tmp/provider.json &
    trap "kill $!" EXIT
    for _ in $(seq 100); do test -s /tmp/provider.json && break; sleep 0.1; done
    export TESSERA_STORE=file:/root/sessions
    begun=$(date +%s)
    tessera login --client client_secret.json --allow-loopback-http --scope openid --scope email --browser 'tessera-provider walk'
    tessera token >/dev/null
    echo "signed in after $(($(date +%s) - begun)) s"
    kill $!
    trap - EXIT
fi
apt-get remove --yes --quiet=2 tessera >/dev/null
# By default, apt keeps packages that other installed packages suggest.
apt-get autoremove --yes --quiet=2 -o APT::AutoRemove::RecommendsImportant=false -o APT::AutoRemove::SuggestsImportant=false >/dev/null
installed >/tmp/after
diff /tmp/before /tmp/after
test -n "$SAMPLES" || test -n "$(ls /root/sessions/*.session)"
! find / -xdev -path /proc -prune -o -path /root -prune -o -path /tmp -prune -o -path /var -prune -o -name '*tessera*' -print | grep .
if [ -z "$SAMPLES" ]; then
    apt-get install --yes --quiet=2 --no-install-recommends libcurl4 >/dev/null
    mkdir /root/readme
    cd /root/readme
    begun=$(date +%s)
    TESSERA_STORE=file:/root/readme/sessions bash -e /tmp/readme >/dev/null
    echo "README's lines: signed in after $(($(date +%s) - begun)) s"
fi
"""
    (root / "tmp" / "check").write_text(script)
    shutil.copyfile(archive(), root / "tmp" / "tessera.tar.gz")
    (root / "tmp" / "readme").write_text(readme("/tmp/tessera.tar.gz"))
    # The mounts end with the namespace, so that removing the folder cannot reach the machine's devices.
    enter = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" bash /tmp/check'
    command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", enter, root]
    result = call(*command, check=False, env={**os.environ, "SAMPLES": " ".join(map(str, SAMPLES))})
    expect(result.returncode == 0, f"\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    return ", ".join(line for line in result.stdout.splitlines() if line.startswith(("tessera ", "signed in", "README's")))


def reproducible(folder):
    """A second build of the commit in another folder has the same files as 'make dist'."""
    environment = {**os.environ, "TESSERA_DIST_FOLDER": str(folder)}
    parts = ["archive", "deb", "rpm", "image", "bundle", "formula"] if SAMPLES else ["archive", "deb", "bundle"]
    result = call(PACKAGING / "dist", *SAMPLES, "--only", *parts, env=environment, check=False)
    expect(result.returncode == 0, f"\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    built = sorted((folder / "dist").iterdir())
    expect(built, "the build has no files.")
    different = [file.name for file in built if not (OUTPUT / file.name).exists() or sha256(file) != sha256(OUTPUT / file.name)]
    expect(not different, f"these files differ: {', '.join(different)}.")
    return f"{len(built)} files are equal"


STEPS = {
    "self-test": selftest, "archive": contents, "glibc": symbols, "libraries": libraries, "man": man, "completions": completions, "sbom": sbom,
    "sbom-schema": schema, "deb": deb, "units": units, "socket": socket, "rpm": rpm, "formula": formula, "image": image, "bundle": bundle,
    "chroot": chroot, "reproducible": reproducible,
}
