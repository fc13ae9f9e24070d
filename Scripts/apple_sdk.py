# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Builds what stands in for an SDK of Apple's, so that this compiler can type-check for Apple's systems.

- The standard library is rebuilt from its textual interfaces, which carry Apple's availability.
- The value types of Foundation (Data, URL, Date, …) come from the toolchain's FoundationEssentials, as the compiler
  prints them.
- CryptoKit's declarations are those of swift-crypto, from the last build.
- Everything else is declared in Tests/AppleDeclarations: headers that clang reads for the target, and Swift's additions
  to them as textual interfaces.

Everything is kept in .build/apple-check and built again when the compiler or a declaration has changed.
"""
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
DECLARATIONS = ROOT / "Tests/AppleDeclarations"


@dataclasses.dataclass(frozen=True)
class Platform:
    name: str
    system: str  # as in a target triple
    floor: str  # the version of Package.swift
    newest: str
    library: str  # the folder of the standard library
    # A target triple as long as the one that the standard library is built for.
    alias: str
    architecture: str = "arm64"

    def triple(self, version):
        return f"{self.architecture}-apple-{self.system}{version}"

    @property
    def folder(self):
        """Where the platform's modules are cached."""
        return CACHE / (self.name if self.architecture == "arm64" else f"{self.name}-{self.architecture}")

    @property
    def label(self):
        """How messages call the platform."""
        return self.name if self.architecture == "arm64" else f"{self.name} ({self.architecture})"


PLATFORMS = {
    platform.name: platform
    for platform in [
        Platform("iOS", "ios", "16.0", "26.0", "iphoneos", "arm64-apple-ios16.0"),
        Platform("macOS", "macos", "13.0", "26.0", "macosx", "arm64-apple-macos13"),
        Platform("tvOS", "tvos", "16.0", "26.0", "appletvos", "arm64-apple-tvos9.0"),
        Platform("watchOS", "watchos", "9.0", "26.0", "watchos", "arm64-apple-watchos"),
        Platform("visionOS", "xros", "1.0", "26.0", "xros", "arm64-apple-xros1.0"),
    ]
}
# Watches before Series 9 and watchOS 26, where `Int`, `long` and pointers have 32 bits and `CGFloat` is a `Float`.
NARROW = Platform("watchOS", "watchos", "9.0", "26.0", "watchos", "arm64_32-apple-watchos", "arm64_32")
LIBRARY_TARGET = "arm64-apple-ios16.0"
# Availability matters for what uses the library, not within it.
LIBRARY_FLAGS = " -experimental-skip-all-function-bodies -disable-availability-checking"

# Each module after those that it imports, and the systems that have it.
MODULES = {
    "Darwin": PLATFORMS,
    "ObjectiveC": PLATFORMS,
    "Dispatch": PLATFORMS,
    "os": PLATFORMS,
    "CoreFoundation": PLATFORMS,
    "Foundation": PLATFORMS,
    "CoreGraphics": PLATFORMS,
    "Security": PLATFORMS,
    "Crypto": PLATFORMS,
    "CryptoExtras": PLATFORMS,
    "Combine": PLATFORMS,
    "QuartzCore": ["iOS", "macOS", "tvOS", "visionOS"],
    "MessageUI": ["iOS", "visionOS"],
    "TVUIKit": ["tvOS"],
    "UIKit": ["iOS", "tvOS", "watchOS", "visionOS"],
    "AppKit": ["macOS"],
    "WebKit": ["iOS", "macOS", "visionOS"],
    "AuthenticationServices": PLATFORMS,
    "SwiftUI": PLATFORMS,
}


def run(arguments, **options):
    """Runs a command and ends the program with what the command says when it fails."""
    result = subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"{result.stdout}{result.stderr}\nfailed: {' '.join(map(str, arguments))}")
    return result.stdout


TARGET = json.loads(run(["swiftc", "-print-target-info"]))
TOOLCHAIN = pathlib.Path(TARGET["paths"]["runtimeResourcePath"])
LIBRARY = pathlib.Path(TARGET["paths"]["runtimeLibraryPaths"][0])
SCRATCH = ROOT / os.environ.get("SCRATCH", ".build")
BUILT = SCRATCH / "debug"
CHECKOUTS = SCRATCH / "checkouts"
CACHE = SCRATCH / "apple-check"
RESOURCES = CACHE / "resources"


def is_current(product, *inputs):
    """Whether a product was made from these inputs; if it was not, notes that it is about to be."""
    digest = hashlib.sha256(TARGET["compilerVersion"].encode())
    digest.update(pathlib.Path(__file__).read_bytes())
    for value in inputs:
        digest.update(value.read_bytes() if isinstance(value, pathlib.Path) else str(value).encode())
    stamp = product.parent / f"{product.name}.stamp"
    if product.exists() and stamp.exists() and stamp.read_text() == digest.hexdigest():
        return True
    product.parent.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)
    product.unlink(missing_ok=True)
    return lambda: stamp.write_text(digest.hexdigest())


def compile_interface(name, text, target, product, flags=()):
    """Compiles a textual interface whose functions need no bodies."""
    source = product.parent / "interfaces" / f"{name}.swiftinterface"
    source.parent.mkdir(exist_ok=True)
    source.write_text(text)
    run(
        ["swift-frontend", "-compile-module-from-interface", source, "-module-name", name, "-target", target]
        + ["-resource-dir", RESOURCES, "-module-cache-path", CACHE / "clang", "-sdk", DECLARATIONS]
        + ["-I", RESOURCES / "shims", "-suppress-warnings", "-Xcc", "-nostdlibinc"]
        + ["-plugin-path", TOOLCHAIN / "host/plugins", *flags, "-o", product]
    )


# --- The standard library

STANDARD_MODULES = ["Swift", "_Concurrency", "_RegexParser", "_StringProcessing", "_Builtin_float"]
STANDARD_MODULES += ["Synchronization", "Observation", "SwiftOnoneSupport"]
# Where the library is built for Linux, it lacks this of Objective-C.
OBJECTIVE_C_SUPPORT = """
@frozen public struct AutoreleasingUnsafeMutablePointer<Pointee> : Swift._Pointer, Swift.BitwiseCopyable {
  public let _rawValue: Builtin.RawPointer
  public init(_ _rawValue: Builtin.RawPointer)
  public init<U>(@_nonEphemeral _ from: Swift.UnsafeMutablePointer<U>)
  public var pointee: Pointee { get nonmutating set }
}
public func _bridgeAnyObjectToAny(_ possiblyNullObject: Swift.AnyObject?) -> Any
public func _forceBridgeFromObjectiveC<T>(_ x: Swift.AnyObject, _: T.Type) -> T
public func _conditionallyBridgeFromObjectiveC<T>(_ x: Swift.AnyObject, _: T.Type) -> T?
public func _bridgeAnythingNonVerbatimToObjectiveC<T>(_ x: __owned T) -> Swift.AnyObject
"""


def standard_interface(name, target):
    """The textual interface of a module of the standard library, for Apple's systems."""
    path = next((LIBRARY / f"{name}.swiftmodule").glob("*-linux-gnu.swiftinterface"))
    lines = path.read_text().split("\n")
    flags = next(index for index, line in enumerate(lines) if line.startswith("// swift-module-flags: "))
    lines[flags] = re.sub(r" -target \S+", f" -target {target}", lines[flags])
    lines[flags] = lines[flags].replace(" -disable-objc-interop", "") + LIBRARY_FLAGS
    text = "\n".join(line for line in lines if line != "import Glibc")
    # What is back-deployed has to have a body, which is left out.
    text = re.sub(r"@backDeployed\([^)]*\)\s*", "", text)
    if name == "Swift":
        # Functions of Float80, which arm64 does not have.
        text = re.sub(r"_stdlib_(?:remainderl|squareRootl)\([^)]*\)", "-self", text) + OBJECTIVE_C_SUPPORT
        if target.startswith(NARROW.architecture):
            # What else depends on the width is a condition in the interface, or in a body, which is left out.
            text = re.sub(
                r"(?ms)^@frozen public struct U?Int : .*?^}",
                lambda declaration: declaration[0].replace("Builtin.Int64", "Builtin.Int32"),
                text,
            )
    return path, text, ["-parse-stdlib"] if "-parse-stdlib" in lines[flags] else []


def build_standard_library():
    """Builds the standard library for one system and makes copies for the others, which differ in the target's name."""
    for name in ["FoundationEssentials", "Crypto", "CryptoExtras"]:
        printed(name)
    for name in ["shims", "clang", "apinotes"]:
        link = RESOURCES / name
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink():
            link.symlink_to(TOOLCHAIN / name)
    for name in STANDARD_MODULES:
        path, text, flags = standard_interface(name, LIBRARY_TARGET)
        product = CACHE / "library" / f"{name}.swiftmodule"
        finish = is_current(product, path)
        if finish is not True:
            compile_interface(name, text, LIBRARY_TARGET, product, flags)
            finish()
        built = product.read_bytes()
        for platform in PLATFORMS.values():
            copy = RESOURCES / platform.library / f"{name}.swiftmodule/arm64-apple-{platform.system}.swiftmodule"
            if finish is True and copy.exists():
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(built.replace(LIBRARY_TARGET.encode(), platform.alias.encode()))
        path, text, flags = standard_interface(name, NARROW.alias)
        product = RESOURCES / NARROW.library / f"{name}.swiftmodule/{NARROW.alias}.swiftmodule"
        finish = is_current(product, path)
        if finish is not True:
            compile_interface(name, text, NARROW.alias, product, flags)
            finish()


# --- Foundation's value types

# What Objective-C declares on Apple's systems, and what nothing here uses and needs most of the rest.
NOT_TAKEN = re.compile(
    r"Attribut|Predicate|Expression|Markdown|Localiz(?!edError)|NotificationCenter|FileManager|ProcessInfo|FileProtection|"
    r"WithConfiguration|CodableConfiguration|ConfigurationProviding|URL\.Template|URLResourceKey|POSIXError|"
    r"OperatingSystemVersion|func pow\b|abbreviationDictionary"
)
# How a value type is bridged to a class: BRIDGE(String, NSString) in an interface.
BRIDGE = r"""extension \1 : Swift._ObjectiveCBridgeable {
  public typealias _ObjectiveCType = \2
  public func _bridgeToObjectiveC() -> \2
  public static func _forceBridgeFromObjectiveC(_ x: \2, result: inout \1?)
  public static func _conditionallyBridgeFromObjectiveC(_ x: \2, result: inout \1?) -> Swift.Bool
  public static func _unconditionallyBridgeFromObjectiveC(_ x: \2?) -> \1
}"""


def declarations(text):
    """The top-level declarations of a printed module: each a list of lines, attributes first."""
    block, depth = [], 0
    for line in text.split("\n"):
        if depth == 0 and (not line.strip() or line.startswith("import ")):
            continue
        block.append(line)
        depth += line.count("{") - line.count("}")
        if depth == 0 and not is_attribute(line):
            yield block
            block = []


def is_attribute(line):
    return line.lstrip().startswith("@") and not DECLARATION.search(line)


DECLARATION = re.compile(r"\b(?:extension|struct|enum|class|protocol|func|typealias|let|var|init|subscript|case)\b[\s(<]")


def printed(name, *only):
    """The declarations of a module of this system, without those that Apple has in Objective-C; or some of them."""
    product = CACHE / f"{name}.printed.swift"
    module = BUILT / f"Modules/{name}.swiftmodule"
    inputs = [module] if module.exists() else []
    finish = is_current(product, *inputs)
    if finish is not True:
        # The build of a plugin's tool has the same modules once more.
        built = [path for path in BUILT.glob("*.build/module.modulemap") if not path.parent.name.endswith("-tool.build")]
        maps = [*built, *CHECKOUTS.glob("*/Sources/*/include/module.modulemap")]
        run(
            ["swift-synthesize-interface", "-module-name", name, "-target", TARGET["target"]["triple"]]
            + ["-I", BUILT / "Modules", "-o", product]
            + [flag for path in maps for flag in ["-Xcc", f"-fmodule-map-file={path}"]]
        )
        finish()
    text = re.sub(r"(?s)/\*\*.*?\*/", "", product.read_text())
    text = re.sub(r"(?m)^\s*//.*\n", "", text)
    taken = []
    for block in declarations(text):
        header = next(line for line in block if not is_attribute(line))
        if NOT_TAKEN.search(header) or only and not re.search(rf"\b(?:{'|'.join(only)})\b", header):
            continue
        attributes = []
        for line in block:
            if is_attribute(line):
                attributes.append(line)
                continue
            if line is header or line.endswith("{") or not NOT_TAKEN.search(line):
                taken += [*attributes, line]
            attributes = []
    text = "\n".join(taken) + "\n"
    # The printer leaves out accessors and lifetimes.
    text = re.sub(r"\b(?:private|internal)\(set\) ", "", text)
    text = re.sub(r"(?m)^(\s+(?:@\S+ )*(?:public |open )?(?:static )?(?:subscript|var )[^{\n]*)$", r"\1 { get set }", text)
    text = re.sub(r"(: (?:Raw)?Span(?:<\w+>)?) { get }", r"\1 { @_lifetime(borrow self) get }", text)
    text = re.sub(r"(: Mutable(?:Raw)?Span(?:<\w+>)?) { mutating get }", r"\1 { @_lifetime(&self) mutating get }", text)
    # Nor does it print what is preferred.
    return text.replace("public init<T, Value>(_ value: Value", "@_disfavoredOverload public init<T, Value>(_ value: Value")


# --- Apple's modules


def module_map(platform):
    """Names the headers of a platform's modules."""
    modules = [name for name, systems in MODULES.items() if platform.name in systems]
    text = "".join(
        f'module {name} [system] {{ header "{DECLARATIONS / name}.h" export * }}\n'
        for name in modules
        if (DECLARATIONS / f"{name}.h").exists()
    )
    path = platform.folder / "module.modulemap"
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return path


def posix_headers(platform):
    """A folder with C's headers, each of which is Darwin's one header; what only macOS has, only there."""
    folder = platform.folder / "include"
    names = {
        name
        for path in (ROOT / "Sources").glob("CTessera*/**/*.[ch]")
        for name in re.findall(r"(?m)^#include <([\w/]+\.h)>", path.read_text())
    }
    for name in names - BUILTIN_HEADERS - (set() if platform.name == "macOS" else MACOS_HEADERS):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('#include "Darwin.h"\n')
    return folder


# The compiler's own, and those that only macOS's SDK has.
BUILTIN_HEADERS = {"stdbool.h", "stddef.h", "stdint.h", "stdarg.h"}
MACOS_HEADERS = {"libproc.h", "sys/ptrace.h"}


def flags(platform):
    """How a frontend finds what was built for a platform."""
    return ["-resource-dir", RESOURCES, "-sdk", DECLARATIONS, "-I", platform.folder, "-I", RESOURCES / "shims"] + [
        "-plugin-path", TOOLCHAIN / "host/plugins", "-module-cache-path", CACHE / "clang", "-Xcc", "-nostdlibinc",
        "-Xcc", f"-I{DECLARATIONS}", "-Xcc", f"-I{platform.folder / 'include'}",
        "-Xcc", f"-fmodule-map-file={module_map(platform)}",
    ]


def build_modules(platform):
    """Builds the modules of a platform that have more than a header."""
    headers = sorted(DECLARATIONS.glob("*.h"))
    posix_headers(platform)
    earlier = []
    for name, systems in MODULES.items():
        sources = [path for path in [DECLARATIONS / f"{name}.swiftinterface", DECLARATIONS / f"{name}.swift"] if path.exists()]
        if platform.name not in systems or not sources:
            continue
        product = platform.folder / f"{name}.swiftmodule"
        text = sources[0].read_text()
        for line in re.findall(r"(?m)^// PRINTED (.*)$", text):
            text += printed(*line.split())
        if name == "Foundation":
            text = re.sub(r"(?m)^BRIDGE\(([\w.]+), (\w+)\)$", BRIDGE, text)
        underlying = ["-import-underlying-module"] if (DECLARATIONS / f"{name}.h").exists() else []
        finish = is_current(product, text, *headers, *earlier)
        earlier.append(sources[0])
        if finish is True:
            continue
        target = platform.triple(platform.floor)
        if sources[0].suffix == ".swift":
            run(
                ["swift-frontend", "-emit-module", "-parse-as-library", "-swift-version", "6", "-module-name", name]
                + ["-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature", "MemberImportVisibility"]
                + ["-enable-upcoming-feature", "InternalImportsByDefault", "-target", target, *flags(platform)]
                + [*underlying, "-suppress-warnings", "-o", product, sources[0]]
            )
        else:
            header = (
                "// swift-interface-format-version: 1.0\n"
                f"// swift-compiler-version: {TARGET['compilerVersion']}\n"
                f"// swift-module-flags: -target {target} -enable-library-evolution -swift-version 5 -module-name {name} "
                "-enable-experimental-feature Lifetimes "
                + " ".join(underlying)
                + "\n"
            )
            compile_interface(name, header + text, target, product, flags(platform))
        finish()


def build_testing(platform):
    """Builds Swift Testing's module from its interface, and returns how a frontend finds its macros."""
    path = next((LIBRARY / "Testing.swiftmodule").glob("*-linux-gnu.swiftinterface"))
    target = platform.triple(platform.floor)
    product = platform.folder / "Testing.swiftmodule"
    finish = is_current(product, path)
    if finish is not True:
        text = re.sub(r" -target \S+", f" -target {target}", path.read_text(), count=1).replace(" -disable-objc-interop", "")
        text = re.sub(r"(// swift-module-flags: .*)", rf"\1{LIBRARY_FLAGS}", text, count=1)
        compile_interface("Testing", re.sub(r"@backDeployed\([^)]*\)\s*", "", text), target, product, flags(platform))
        finish()
    return ["-load-plugin-library", TOOLCHAIN / "host/plugins/libTestingMacros.so"]


def stamps(platform):
    """What a platform's modules were made from."""
    return sorted(path for path in platform.folder.glob("[A-Z]*.swiftmodule.stamp") if not path.name.startswith("Testing."))


def symbols(module, system, places):
    """The public symbols of a module, as the compiler describes them."""
    folder = CACHE / "symbols" / str(threading.get_ident())
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [flag for pair in zip(system, system[1:]) if pair[0] in places for flag in pair]
    run(["swift-symbolgraph-extract", "-module-name", module, *wanted, "-output-dir", folder])
    graphs = [folder / f"{module}.symbols.json", *folder.glob(f"{module}@*.symbols.json")]
    result = [symbol for path in graphs for symbol in json.loads(path.read_text())["symbols"]]
    for path in graphs:
        path.unlink()
    return result
