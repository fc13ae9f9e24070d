# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Compares Tests/AppleDeclarations with the metadata in PyObjC's wheels, which was generated from the macOS SDK.

The metadata contains constants, values of enumerations, types of functions, and methods whose types Python cannot
determine itself: methods with Booleans, blocks or errors. It must contain each such method of our headers with the same
types.
"""
import ast
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

from apple_sdk import CACHE, DECLARATIONS, PLATFORMS

VERSION = "12.2.2"
WHEELS = {
    "Cocoa": "sha256:600b1723184ca094931330e79355274949965460e23de38628d601b5a967baf9",
    "Security": "sha256:ca580d5f56e1222d63f1322a4fbf63be0bad77e77cca084290310df007b3fdde",
    "AuthenticationServices": "sha256:cd5467c241ab4f4c788b9f7df2e8c8a578b53e638da236389afb0c5aefe721d3",
    "Quartz": "sha256:0ec9751904ef975bf0789d760dc4fadcb400edc4ffe4a736eb54971968babe5c",
}
HEADERS = ["Foundation", "CoreFoundation", "CoreGraphics", "Security", "AuthenticationServices", "AppKit"]
# Fewer declarations indicate that this script no longer parses the headers or the metadata correctly.
MINIMUM = 130


def wheels():
    """Returns the folder with the unpacked wheels, or None if they cannot be downloaded."""
    folder = CACHE / f"pyobjc-{VERSION}"
    if folder.exists():
        return folder
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        requirements = [f"pyobjc-framework-{name}=={VERSION} --hash={digest}\n" for name, digest in WHEELS.items()]
        (place / "requirements.txt").write_text("".join(requirements))
        result = subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-cache-dir"]
            + ["--only-binary=:all:", "--platform", "macosx_11_0_universal2", "--python-version", "3.13", "--timeout", "20"]
            + ["--retries", "1", "--require-hashes", "--requirement", place / "requirements.txt", "--dest", place],
            capture_output=True,
            text=True,
        )
        if result.returncode != 0:
            # A wheel with an unexpected hash is an error.
            if "HASH" in result.stderr.upper():
                sys.exit(result.stderr)
            return None
        for path in place.glob("*.whl"):
            with zipfile.ZipFile(path) as wheel:
                wheel.extractall(place / "wheels")
        CACHE.mkdir(parents=True, exist_ok=True)
        shutil.move(place / "wheels", folder)
    return folder


class Metadata:
    """The metadata in the wheels."""

    def __init__(self, folder):
        self.values, self.names, self.functions, self.methods = {}, set(), {}, {}
        for path in folder.rglob("_metadata.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                match node:
                    case ast.Constant(value=str(text)):
                        # For example `$kSecClass$kSecAttrService@i$` and `$errSecSuccess@0$`.
                        for part in text.split("$"):
                            name, _, number = part.partition("@")
                            self.names.add(name)
                            if re.fullmatch(r"-?\d+", number):
                                self.values[name] = int(number)
                    case ast.Call(
                        func=ast.Name(id="r"),
                        args=[ast.Constant(value=bytes(owner)), ast.Constant(value=bytes(selector)), details],
                    ):
                        self.methods[owner.decode(), selector.decode()] = ast.literal_eval(details)
                    case ast.Dict(keys=keys, values=values):
                        for key, value in zip(keys, values):
                            match key, value:
                                case ast.Constant(value=str(name)), ast.Tuple(elts=[ast.Constant(value=bytes(types)), *_]):
                                    self.functions[name] = types.decode()


def syntax_tree():
    """Returns clang's syntax tree of the headers for macOS."""
    platform = PLATFORMS["macOS"]
    with tempfile.TemporaryDirectory() as name:
        # The headers are usually modules and have no include guards.
        for header in DECLARATIONS.glob("*.h"):
            pathlib.Path(name, header.name).write_text(header.read_text().replace('#include "', '#import "'))
        source = pathlib.Path(name, "All.m")
        source.write_text("".join(f'#import "{each}.h"\n' for each in HEADERS))
        command = ["clang", "-x", "objective-c", "-fobjc-arc", "-fblocks", "-fsyntax-only", "-w", "-Xclang", "-ast-dump=json"]
        command += ["-target", platform.triple(platform.floor), "-nostdlibinc", "-I", name, source]
        result = subprocess.run([*map(str, command)], capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(result.stderr)
        tree = result.stdout
    return json.loads(tree)["inner"]


def desugared(type):
    return re.sub(r"__strong|__weak|__unsafe_unretained|__autoreleasing", "", type.get("desugaredQualType", type["qualType"])).strip()


def sort(type):
    """Returns the kind of a type: a letter of the Objective-C encoding, or `^` for a pointer."""
    scalars = {"void": "v", "bool": "Z", "char": "c", "int": "i", "unsigned int": "I", "long": "q", "long long": "q"}
    scalars |= {"unsigned long": "Q", "unsigned long long": "Q", "double": "d", "short": "s", "unsigned char": "C"}
    scalars |= {"unsigned short": "S"}
    return scalars.get(desugared(type).replace("const ", ""), "^")


def sorts(encoding):
    """Returns the kinds of all types in an Objective-C encoding."""
    result = []
    while encoding:
        encoding = encoding.lstrip("rnNoORV")
        end = 1
        if encoding[0] == "^":
            result.append("^")
            while encoding[end] in "^rnNoORV":
                end += 1
            rest = encoding[end:]
            end += balanced(rest)
        else:
            end = balanced(encoding)
            result.append({"B": "Z"}.get(encoding[0], "^" if encoding[0] in "@#:*{([?" else encoding[0]))
        encoding = encoding[end:]
    return result


def balanced(encoding):
    """Returns the length of the first type in an encoding."""
    if encoding.startswith("@?"):
        return 2
    if encoding[0] not in "{([":
        return 1
    depth = 0
    for index, letter in enumerate(encoding):
        depth += (letter in "{([") - (letter in "})]")
        if depth == 0:
            return index + 1
    return len(encoding)


def is_type(value, letter):
    return value.get("type") in (letter, letter.encode())


def method_problem(method, known):
    """Returns how a method differs from the metadata, or None. `known` is None if the metadata does not contain it."""
    parameters = [each["type"] for each in method.get("inner", []) if each["kind"] == "ParmVarDecl"]
    known_arguments = (known or {}).get("arguments", {})
    needs = False
    if desugared(method["returnType"]) == "bool":
        needs = True
        if known and not is_type(known.get("retval", {}), "Z"):
            return "does not return a Boolean"
    for index, type in enumerate(parameters, start=2):
        spelling, argument = desugared(type), known_arguments.get(index, {})
        if spelling == "bool":
            needs = True
            if known and not is_type(argument, "Z"):
                return f"has no Boolean at {index - 1}"
        elif "(^" in spelling:
            needs = True
            block = argument.get("callable", {})
            # The first argument is the block itself.
            count = len(block.get("arguments", {})) - 1
            inside = spelling.partition("(^")[2].partition("(")[2].rpartition(")")[0]
            ours = 0 if inside in ("", "void") else len(re.split(r",(?![^(]*\))", inside))
            if known and (not block or count != ours):
                return f"has a block with {count} arguments at {index - 1}, not {ours}"
        elif re.search(r"NSError \*.*\*", spelling):
            needs = True
            if known and argument.get("type_modifier") not in (b"o", "o"):
                return f"has no error at {index - 1}"
    return "is missing" if needs and known is None else None


def compare():
    """Compares the headers with the metadata, and returns 1 if they differ."""
    folder = wheels()
    if folder is None:
        print(f"Apple: SKIPPED: could not compare with PyObjC's metadata, because version {VERSION} cannot be downloaded.")
        return 0
    metadata = Metadata(folder)
    supers, counts, problems = {}, {}, []

    def note(kind, name, problem):
        counts[kind] = counts.get(kind, 0) + 1
        if problem:
            problems.append(f"{name} {problem}")

    def known_method(owner, selector):
        """Returns the metadata of a method. Methods of protocols and categories may be listed under NSObject."""
        owners = [owner]
        while owners[-1] in supers:
            owners.append(supers[owners[-1]])
        found = (metadata.methods.get((each, selector)) for each in [*owners, "NSObject"])
        return next((each for each in found if each is not None), None)

    for declaration in syntax_tree():
        name = declaration.get("name", "")
        # Skip declarations of Darwin and the compiler.
        if name.startswith("_") or declaration.get("isImplicit"):
            continue
        match declaration["kind"]:
            case "EnumDecl":
                value = -1
                for each in declaration.get("inner", []):
                    if each["kind"] != "EnumConstantDecl" or each["name"].startswith("_"):
                        continue
                    given = re.search(r"'value': '(-?\d+)'", str(each))
                    value = int(given[1]) if given else value + 1
                    known = metadata.values.get(each["name"])
                    note("values", each["name"], None if known == value else f"is {known}, not {value}")
            case "VarDecl":
                note("constants", name, None if name in metadata.names else "is missing")
            case "FunctionDecl":
                if name in metadata.functions:
                    parameters = [each["type"] for each in declaration.get("inner", []) if each["kind"] == "ParmVarDecl"]
                    ours = [sort(each) for each in parameters]
                    theirs = sorts(metadata.functions[name])
                    note("functions", name, None if ours == theirs[1:] else f"takes {theirs[1:]}, not {ours}")
            case "ObjCInterfaceDecl" | "ObjCProtocolDecl" | "ObjCCategoryDecl":
                owner = declaration.get("interface", {}).get("name", name)
                if "name" in declaration.get("super", {}):
                    supers[owner] = declaration["super"]["name"]
                for method in declaration.get("inner", []):
                    if method["kind"] == "ObjCMethodDecl" and method["name"] != "init":
                        known = known_method(owner, method["name"])
                        if problem := method_problem(method, known):
                            note("methods", f"{owner}.{method['name']}", problem)
                        elif known is not None:
                            note("methods", "", None)
    if sum(counts.values()) < MINIMUM:
        problems.append(f"only {sum(counts.values())} declarations were compared")
    for problem in problems:
        print(f"Apple: differs from PyObjC {VERSION}: {problem}", file=sys.stderr)
    numbers = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    print(f"Apple: {numbers} were compared with PyObjC {VERSION}: {len(problems)} differences.")
    return 1 if problems else 0
