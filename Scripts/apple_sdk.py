# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Builds a substitute for Apple's SDKs, so that this compiler can type-check for Apple platforms.

- The standard library is rebuilt from its textual interfaces, which contain Apple's availability.
- The value types of Foundation (Data, URL, Date, …) come from the interface of the toolchain's FoundationEssentials.
- CryptoKit's declarations come from swift-crypto in the last build.
- Everything else is declared in Tests/AppleDeclarations: C and Objective-C headers, and Swift's additions to them as
  textual interfaces.

The results are cached in .build/apple-check and rebuilt when the compiler or a declaration has changed.
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
    system: str  # the system in a target triple
    floor: str  # the deployment target in Package.swift
    newest: str
    library: str  # the folder of the standard library
    # A target triple of the same length as the one that the standard library is built for.
    alias: str
    architecture: str = "arm64"

    def triple(self, version):
        return f"{self.architecture}-apple-{self.system}{version}"

    @property
    def folder(self):
        """The cache folder of the platform's modules."""
        return CACHE / (self.name if self.architecture == "arm64" else f"{self.name}-{self.architecture}")

    @property
    def label(self):
        """The name of the platform in messages."""
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
# Watches before Series 9 and watchOS 26, with 32-bit `Int`, `long` and pointers, and `Float` as `CGFloat`.
NARROW = Platform("watchOS", "watchos", "9.0", "26.0", "watchos", "arm64_32-apple-watchos", "arm64_32")
LIBRARY_TARGET = "arm64-apple-ios16.0"
# Availability is checked in users of the library, not within it.
LIBRARY_FLAGS = " -experimental-skip-all-function-bodies -disable-availability-checking"

# The modules, after those that they import, with the platforms that have them.
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
    """Runs a command and returns its output. If it fails, exits with its messages."""
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
    """Returns True if a product was built from these inputs, or else a function to call after building it."""
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
    """Compiles a textual interface without function bodies."""
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
# Declarations for Objective-C that the library for Linux does not contain.
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
    """Returns the textual interface of a module of the standard library, adapted to Apple platforms."""
    path = next((LIBRARY / f"{name}.swiftmodule").glob("*-linux-gnu.swiftinterface"))
    lines = path.read_text().split("\n")
    flags = next(index for index, line in enumerate(lines) if line.startswith("// swift-module-flags: "))
    lines[flags] = re.sub(r" -target \S+", f" -target {target}", lines[flags])
    lines[flags] = lines[flags].replace(" -disable-objc-interop", "") + LIBRARY_FLAGS
    text = "\n".join(line for line in lines if line != "import Glibc")
    # Back-deployed declarations require bodies, which the interface does not contain.
    text = re.sub(r"@backDeployed\([^)]*\)\s*", "", text)
    if name == "Swift":
        # Functions for Float80, which does not exist on arm64.
        text = re.sub(r"_stdlib_(?:remainderl|squareRootl)\([^)]*\)", "-self", text) + OBJECTIVE_C_SUPPORT
        if target.startswith(NARROW.architecture):
            # Other declarations that depend on the width are conditional, or only in bodies, which are omitted.
            text = re.sub(
                r"(?ms)^@frozen public struct U?Int : .*?^}",
                lambda declaration: declaration[0].replace("Builtin.Int64", "Builtin.Int32"),
                text,
            )
    return path, text, ["-parse-stdlib"] if "-parse-stdlib" in lines[flags] else []


def build_standard_library():
    """Builds the standard library for one system and copies it for the others with another target triple."""
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

# Declarations that are Objective-C on Apple platforms, and unused ones with many dependencies.
NOT_TAKEN = re.compile(
    r"Attribut|Predicate|Expression|Markdown|Localiz(?!edError)|NotificationCenter|FileManager|ProcessInfo|FileProtection|"
    r"WithConfiguration|CodableConfiguration|ConfigurationProviding|URL\.Template|URLResourceKey|POSIXError|"
    r"OperatingSystemVersion|func pow\b|abbreviationDictionary"
)
# The bridging of a value type to a class, written as BRIDGE(String, NSString) in an interface.
BRIDGE = r"""extension \1 : Swift._ObjectiveCBridgeable {
  public typealias _ObjectiveCType = \2
  public func _bridgeToObjectiveC() -> \2
  public static func _forceBridgeFromObjectiveC(_ x: \2, result: inout \1?)
  public static func _conditionallyBridgeFromObjectiveC(_ x: \2, result: inout \1?) -> Swift.Bool
  public static func _unconditionallyBridgeFromObjectiveC(_ x: \2?) -> \1
}"""


def declarations(text):
    """Yields the top-level declarations of an interface, each as a list of lines with attributes first."""
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
    """Returns all or some declarations of a module of this system that are not in Objective-C on Apple platforms."""
    product = CACHE / f"{name}.printed.swift"
    module = BUILT / f"Modules/{name}.swiftmodule"
    inputs = [module] if module.exists() else []
    finish = is_current(product, *inputs)
    if finish is not True:
        # The build of a plugin's tool contains copies of the same modules.
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
    # The compiler's interface omits accessors and lifetimes.
    text = re.sub(r"\b(?:private|internal)\(set\) ", "", text)
    text = re.sub(r"(?m)^(\s+(?:@\S+ )*(?:public |open )?(?:static )?(?:subscript|var )[^{\n]*)$", r"\1 { get set }", text)
    text = re.sub(r"(: (?:Raw)?Span(?:<\w+>)?) { get }", r"\1 { @_lifetime(borrow self) get }", text)
    text = re.sub(r"(: Mutable(?:Raw)?Span(?:<\w+>)?) { mutating get }", r"\1 { @_lifetime(&self) mutating get }", text)
    # It also omits @_disfavoredOverload.
    return text.replace("public init<T, Value>(_ value: Value", "@_disfavoredOverload public init<T, Value>(_ value: Value")


# --- Apple's modules


def module_map(platform):
    """Writes the module map of a platform and returns its path."""
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
    """Returns a folder of C headers that all include Darwin.h. Headers of macOS only exist for macOS."""
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


# The headers of the compiler, and those that only the macOS SDK has.
BUILTIN_HEADERS = {"stdbool.h", "stddef.h", "stdint.h", "stdarg.h"}
MACOS_HEADERS = {"libproc.h", "sys/ptrace.h"}


def flags(platform):
    """Returns the compiler flags that find the modules of a platform."""
    return ["-resource-dir", RESOURCES, "-sdk", DECLARATIONS, "-I", platform.folder, "-I", RESOURCES / "shims"] + [
        "-plugin-path", TOOLCHAIN / "host/plugins", "-module-cache-path", CACHE / "clang", "-Xcc", "-nostdlibinc",
        "-Xcc", f"-I{DECLARATIONS}", "-Xcc", f"-I{platform.folder / 'include'}",
        "-Xcc", f"-fmodule-map-file={module_map(platform)}",
    ]


def build_modules(platform):
    """Builds the modules of a platform that have Swift declarations."""
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
    """Builds the module of Swift Testing from its interface, and returns the compiler flags that find its macros."""
    path = next((LIBRARY / "Testing.swiftmodule").glob("*-linux-gnu.swiftinterface"))
    target = platform.triple(platform.floor)
    product = platform.folder / "Testing.swiftmodule"
    finish = is_current(product, path)
    if finish is not True:
        text = re.sub(r" -target \S+", f" -target {target}", path.read_text(), count=1).replace(" -disable-objc-interop", "")
        text = re.sub(r"(// swift-module-flags: .*)", rf"\1{LIBRARY_FLAGS}", text, count=1)
        # '#expect(condition)' expands to its condition, because checking the real expansion takes longer.
        text = re.sub(
            r'(public macro expect\(_ condition: .*\)) = (.*)"ExpectMacro"',
            r'@discardableResult \1 -> Swift.Bool = \2"ExitTestCapturedValueMacro"',
            text,
        )
        compile_interface("Testing", re.sub(r"@backDeployed\([^)]*\)\s*", "", text), target, product, flags(platform))
        finish()
    return ["-load-plugin-library", TOOLCHAIN / "host/plugins/libTestingMacros.so"]


def stamps(platform):
    """Returns the files that record the inputs of a platform's modules."""
    return sorted(path for path in platform.folder.glob("[A-Z]*.swiftmodule.stamp") if not path.name.startswith("Testing."))


def symbols(module, system, places):
    """Returns the symbol graph of a module's public symbols."""
    folder = CACHE / "symbols" / str(threading.get_ident())
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [flag for pair in zip(system, system[1:]) if pair[0] in places for flag in pair]
    run(["swift-symbolgraph-extract", "-module-name", module, *wanted, "-output-dir", folder])
    graphs = [folder / f"{module}.symbols.json", *folder.glob(f"{module}@*.symbols.json")]
    result = [symbol for path in graphs for symbol in json.loads(path.read_text())["symbols"]]
    for path in graphs:
        path.unlink()
    return result
