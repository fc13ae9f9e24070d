# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Compares Tests/AppleDeclarations/Darwin.h with Apple's C headers, which are in the Zig compiler's wheel on PyPI.

Generates a C file that includes Apple's headers and asserts the declarations of Darwin.h: the value of each macro, each
type, the size of each structure, the offset and type of each member, and the prototype of each function. Compiles this
file and the C targets for each system. apple-declarations compares the declarations that Swift imports from the
headers.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

import apple_sdk
from apple_sdk import CACHE, DECLARATIONS, NARROW, PLATFORMS, ROOT

WHEEL = "ziglang==0.17.1"
HASH = "sha256:ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54"
FOLDER = "ziglang/lib/libc/include/any-darwin-any/"
# Fewer assertions indicate that this script no longer parses Darwin.h correctly.
MINIMUM = 600

HEADERS = """
sys/types.h stdbool.h stdarg.h stddef.h stdint.h time.h sys/time.h errno.h sys/stat.h fcntl.h sys/file.h unistd.h stdio.h
sys/stdio.h stdlib.h math.h string.h dirent.h sys/mount.h sys/param.h poll.h sys/socket.h sys/un.h netinet/in.h netinet/tcp.h
arpa/inet.h signal.h sys/wait.h pthread.h termios.h sys/ioctl.h sys/ttycom.h sys/resource.h spawn.h libproc.h
sys/proc_info.h pwd.h netdb.h ifaddrs.h limits.h
""".split()
# The wheel has no sys/ptrace.h. errno and sa_handler are macros without a constant value.
NOT_COMPARED = {"PT_DENY_ATTACH", "ptrace", "errno", "sa_handler", "PTHREAD_MUTEX_INITIALIZER", "TESSERA_DARWIN_H", "NO_SPAWN"}
# Structures that Darwin.h declares only partially.
CUT = {"__sFILE", "DIR"}
ITEM = re.compile(
    r"""(?msx)
    ^\#define\ (?P<macro>\w+)\ (?P<value>[^\n]+)$
    | ^(?P<condition>\#(?:if|else|endif)[^\n]*)$
    | ^typedef\ enum\ \{(?P<cases>.*?)\}\ (?P<enumeration>\w+);
    | ^typedef\ struct\s?(?P<tag>\w*)\s?\{(?P<body>.*?)\}\ (?P<name>\w+);
    | ^struct\ (?P<structure>\w+)\ \{(?P<members>.*?)\};$
    | ^typedef\ (?P<type>[^;{]+);
    | ^extern\ (?P<variable>[^;]+);
    | ^(?P<function>[a-z_][^;{}\#]*\([^;{}]*\)[^;{}]*);
    """
)


def headers():
    """Returns the folder with Apple's headers, or None if the wheel cannot be downloaded."""
    folder = CACHE / WHEEL.replace("==", "-")
    if folder.exists():
        return folder
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        (place / "requirements.txt").write_text(f"{WHEEL} --hash={HASH}\n")
        result = subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-cache-dir"]
            + ["--only-binary=:all:", "--platform", "manylinux_2_12_x86_64", "--timeout", "20", "--retries", "1"]
            + ["--require-hashes", "--requirement", place / "requirements.txt", "--dest", place],
            capture_output=True,
            text=True,
        )
        if result.returncode != 0:
            # A wheel with an unexpected hash is an error.
            if "HASH" in result.stderr.upper():
                sys.exit(result.stderr)
            return None
        with zipfile.ZipFile(next(place.glob("*.whl"))) as wheel:
            wheel.extractall(place, [each for each in wheel.namelist() if each.startswith(FOLDER)])
        CACHE.mkdir(parents=True, exist_ok=True)
        shutil.move(place / FOLDER, folder)
    return folder


def members(text):
    """Yields the names of a structure's members, except for those of unions."""
    depth = 0
    for line in text.split("\n"):
        if depth == 0 and "{" not in line and (found := re.match(r"\s*[^;]+?(\w+)(?:\[[^;]*\])?;$", line)):
            yield found[1]
        depth += line.count("{") - line.count("}")


def assertions(text):
    """Returns a C file that compiles only if Apple's headers match ours, and the number of its assertions."""
    lines = [f"#include <{each}>" for each in HEADERS]
    count = 0

    def insist(condition, about):
        nonlocal count
        count += 1
        lines.append(f'_Static_assert({condition}, "{about}");')

    def compare(ours, theirs, body, is_whole):
        lines.append(f"struct {ours} {{{body}}};")
        if is_whole:
            insist(f"sizeof(struct {ours}) == sizeof({theirs})", f"the size of {theirs}")
        for name in members(body):
            insist(f"offsetof(struct {ours}, {name}) == offsetof({theirs}, {name})", f"the offset of {theirs}.{name}")
            both = ", ".join(f"__typeof__((({each} *)0)->{name})" for each in (f"struct {ours}", theirs))
            insist(f"__builtin_types_compatible_p({both})", f"the type of {theirs}.{name}")

    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"\b(?:SINCE|NEVER|UNTIL)\([^)]*\)|\bNO_SPAWN\b|\b(?:BEGIN|END)_NONNULL\b|\b_N(?:onnull|ullable)\b", "", text.replace("#define NO_SPAWN", "#define NO_SPAWN_"))
    for item in ITEM.finditer(text):
        found = item.groupdict()
        if found["macro"]:
            name = found["macro"]
            if name in NOT_COMPARED or name.startswith("NO_SPAWN"):
                continue
            lines.append(f"#ifndef {name}\n#error {name} is missing\n#endif")
            # A pointer cast is not an integer constant.
            insist(f"(unsigned long long)({name}) == (unsigned long long)({found['value']})", name)
        elif found["condition"]:
            lines.append(found["condition"])
        elif found["enumeration"]:
            for name, value in re.findall(r"(\w+) = (\d+)", found["cases"]):
                insist(f"{name} == {value}", name)
            insist(f"sizeof({found['enumeration']}) == 4", found["enumeration"])
        elif found["name"]:
            compare(f"tessera_{found['name']}", found["name"], found["body"], found["tag"] not in CUT and found["name"] not in CUT)
        elif found["structure"]:
            compare(f"tessera_{found['structure']}", f"struct {found['structure']}", found["members"], True)
        elif found["type"]:
            name = re.search(r"\(\*(\w+)\)\(|(\w+)$", found["type"])
            name = name[1] or name[2]
            lines.append(f"typedef {re.sub(rf'{chr(92)}b{name}{chr(92)}b', f'tessera_{name}', found['type'])};")
            insist(f"__builtin_types_compatible_p({name}, tessera_{name})", name)
        elif found["variable"]:
            lines.append(f"extern {found['variable']};")
            count += 1
        elif found["function"]:
            name = re.search(r"(\w+)\(", found["function"])[1]
            if name not in NOT_COMPARED:
                # Some functions are also macros.
                lines.append(f"#undef {name}\n" + re.sub(r"\s+", " ", found["function"]) + ";")
                count += 1
    return "\n".join(lines) + "\n", count


def compile(source, platform, folder, *flags):
    """Compiles a file and returns the compiler's messages."""
    command = ["clang", "-fsyntax-only", "-std=c11", "-ferror-limit=0", "-target", platform.triple(platform.floor)]
    command += ["-nostdlibinc", "-D_FORTIFY_SOURCE=0", "-isystem", folder, *flags, source]
    return subprocess.run([*map(str, command)], capture_output=True, text=True).stderr


def import_flags(platform, folder, place):
    """Creates a module with the headers in a folder, and returns the compiler flags that find it."""
    (place / "Darwin.h").write_text("".join(f"#include <{each}>\n" for each in HEADERS))
    (place / "module.modulemap").write_text('module Darwin [system] { header "Darwin.h" export * }\n')
    headers = ["-nostdlibinc", "-Xclang", "-fbuiltin-headers-in-system-modules", "-idirafter", folder]
    return [
        *("-target", platform.triple(platform.floor), "-resource-dir", apple_sdk.RESOURCES, "-sdk", DECLARATIONS),
        *("-I", place, "-I", apple_sdk.RESOURCES / "shims", "-module-cache-path", place / "cache"),
        *(part for each in headers for part in ("-Xcc", each)),
    ]


def symbols(flags, place):
    """Returns the symbols that Swift imports from the headers."""
    apple_sdk.run(["swift-symbolgraph-extract", "-module-name", "Darwin", "-output-dir", place, *flags])
    return json.loads((place / "Darwin.symbols.json").read_text())["symbols"]


def compare():
    """Compares Darwin.h with Apple's headers, and returns 1 if they differ."""
    folder = headers()
    if folder is None:
        print(f"Apple: SKIPPED: could not compare Darwin.h with Apple's headers, because {WHEEL} cannot be downloaded.")
        return 0
    text, count = assertions((DECLARATIONS / "Darwin.h").read_text())
    complaints = [] if count >= MINIMUM else [f"only {count} assertions"]
    with tempfile.TemporaryDirectory() as name:
        source = pathlib.Path(name, "Darwin.c")
        source.write_text(text)
        for platform in [*PLATFORMS.values(), NARROW]:
            for line in re.findall(r"(?m)^.*error: .*$", compile(source, platform, folder)):
                complaints.append(f"{platform.label}: {line.replace(str(source), 'Darwin.c')}")
            # A header of the macOS SDK that the wheel does not contain.
            rest = pathlib.Path(name, platform.label)
            rest.mkdir()
            if platform.name == "macOS":
                (rest / "sys").mkdir()
                (rest / "sys/ptrace.h").write_text("#define PT_DENY_ATTACH 31\nint ptrace(int, int, char *, int);\n")
            for target in sorted(ROOT.glob("Sources/CTessera*")):
                for file in sorted(target.glob("*.c")) if target.name != "CTesseraSecretService" else []:
                    errors = compile(file, platform, folder, "-I", rest, "-I", target / "include", "-Wall", "-Werror")
                    if errors:
                        complaints.append(f"{file.name} for {platform.label}:\n{errors}")
    for complaint in complaints:
        print(f"Apple: Darwin.h and Apple's headers differ: {complaint}", file=sys.stderr)
    if not complaints:
        print(f"Apple: {count} macros, types, members and functions of Darwin.h match Apple's headers ({WHEEL}).")
    return 1 if complaints else 0
