#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Prints which part of Session, Stores and Fetch a run of the simulator has executed.

usage: simulation_coverage.py PROGRAM PROFILE [--list]

The first table has all files. The second one omits files and regions that simulated programs cannot reach, and the reasons
follow it.

Swift programs have no branches in their profiles, so this counts regions: a region begins wherever the path of execution can
change. Regions without a statement of their own, such as `break`, count too. --list prints each region that was not executed.
"""
import collections
import json
import pathlib
import shutil
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parent.parent
PARTS = {
    "Session": ["Sources/Tessera/Session", "Sources/Tessera/Token"],
    "Stores": ["Sources/Tessera/Stores", "Sources/TesseraStores", "Sources/TesseraPostgreSQL"],
    "Fetch": ["Sources/TesseraFetch", "Sources/Tessera/Sending"],
}
# The files whose code the simulated programs cannot reach, by the reason and by the tests that cover them.
EXCLUDED = {
    "runs on a real PostgreSQL server (TesseraPostgreSQLTests, Scripts/partitions)": [
        "TesseraPostgreSQL/Link.swift", "TesseraPostgreSQL/ConnectionProtection.swift", "TesseraPostgreSQL/PostgreSQLAddress.swift",
        "TesseraPostgreSQL/PostgreSQLSchema.swift", "TesseraPostgreSQL/PostgreSQLPool.swift",
    ],
    "reads and writes real files (TesseraFetchTests, Scripts/torture)": [
        "TesseraFetch/Downloads", "TesseraFetch/Transfers", "TesseraFetch/HTTPBody+File.swift",
    ],
    "obtains keys, which the simulation supplies (TesseraStoresTests)": [
        "TesseraStores/Passphrase", "TesseraStores/Sealing/StoreKey.swift", "TesseraStores/Sealing/SealedKey.swift",
    ],
    "chooses or converts a store before a program uses it (TesseraStoresTests)": [
        "TesseraStores/StoreTransfer.swift", "TesseraStores/StoreURI.swift", "TesseraStores/ChosenStore.swift",
    ],
    "belongs to stores that are not simulated (TesseraStoresTests, TesseraSecretServiceTests)": [
        "TesseraStores/Sealing/SealedItems.swift", "TesseraStores/Sealing/SealedTransient.swift", "Tessera/Stores/TransientStore.swift",
        "TesseraStores/Keychain/SystemKeychain.swift", "TesseraStores/Keychain/KeychainItems.swift",
    ],
    "rejects records that no version of the library has written (TesseraTests, Fuzz)": ["Tessera/Session/SessionRecord+Decoding.swift"],
}
# Regions that the simulated programs cannot reach, by the reason: the beginning of a line in a file, where the region begins or
# after which it is the first region that is not reached. Regions within it are omitted, too.
UNREACHABLE = {
    "obtains keys, which the simulation supplies": {
        "TesseraPostgreSQL/SessionTables.swift": [
            "private let executor", "if case .given", "return try await self.executor.run", "func keysForWriting",
        ],
        "TesseraPostgreSQL/Lease.swift": ["let keys = try await self.database.keysForWriting"],
        "TesseraPostgreSQL/PostgreSQLStore.swift": ["_ = try await self.tables.keysForWriting", "let keys = try await"],
        "TesseraStores/EncryptedFile/EncryptedFileStore.swift": [
            "if case .asked", "let isAsked", "let executor = isAsked", "reading: isAsked",
        ],
        "TesseraStores/EncryptedFile/SessionDirectory.swift": [
            "_ = try StoreError.mapping(self.volume.checkDirectory(keyDirectory))", "if keys == store", "try self.keySource.forWriting",
        ],
    },
    "creates a store on a real system": {
        "TesseraStores/EncryptedFile/EncryptedFileStore.swift": [
            "keyDirectory: String? = nil,", "keys: StoreKeys,", "keySource: StoreKeySource,", "networkFileSystem: {",
        ],
        "TesseraStores/AccountLocks.swift": [
            "in directory: LockDirectory,", "package init(path", "package init(inContainer", "package func lockPath",
            "package func lock(",
        ],
        "TesseraStores/Keychain/KeychainSessionStore.swift": ["lockDirectory: LockDirectory,"],
        "TesseraPostgreSQL/PostgreSQLStore.swift": [
            "_ address: Secret,", "private static func postgreSQL",
        ],
    },
    "checks a real path": {
        "TesseraStores/EncryptedFile/SessionDirectory.swift": ["detail: location.isEmpty", "if !self.allowsNetworkFileSystem"],
    },
    "concerns data protection of Apple platforms": {
        "TesseraStores/StoreError+Causes.swift": ["isProtected ?", "detail: isProtected", "hasDataProtection"],
    },
    "is the body of the operator in a range without bounds, which does not run": {
        "TesseraStores/Sealing/ChecksummedRecord.swift": ["return content + Self.digest"],
        "TesseraStores/Sealing/SealedRecord.swift": [
            "var reader = ByteReader(bytes[...])", "var content = ByteReader(plain[...])", "bytes += Self.check",
            "var fields = ByteReader(bytes[...])",
        ],
        "TesseraFetch/Uploads/UploadReader.swift": ["return (piece, Self.body(bytes[...]"],
    },
    "needs a record that only someone with the key could write": {
        "TesseraStores/Sealing/SealedRecord.swift": ["if mark == nil", "guard record.account == self.account"],
    },
    "needs a file that disappears within one call, which the simulation does not interrupt": {
        "TesseraStores/EncryptedFile/SessionDirectory.swift": ["guard let bytes = try self.recordBytes"],
        "TesseraStores/EncryptedFile/SessionDirectory+Writing.swift": ["guard let file = try StoreError.mapping(self.volume.file"],
        "TesseraStores/EncryptedFile/EncryptedFileStore.swift": ["guard let record = try self.directory.read"],
    },
    "is used by other modules only": {
        "Tessera/Stores/AccountKey.swift": ["package static func sha256(of text", "case UInt8(ascii: \"A\")"],
    },
    "needs a record of a later version": {"Tessera/Session/SessionEndedError.swift": ["static func named"]},
    "handles a value that is always present here": {
        "Tessera/Session/OAuthSession+Narrowing.swift": ["guard let response = result.response"],
        "Tessera/Session/OAuthSession+Sending.swift": ["let check = (try? await unfinished"],
        "Tessera/Sending/OriginPattern.swift": ["guard let host = parts.host, let port"],
        "Tessera/Sending/RedirectPolicy.swift": ["let scheme = request.scheme", "let origin = URIParts"],
        "TesseraFetch/Limits/HostLimiter.swift": ["guard var entry = state.hosts"],
        "TesseraFetch/Uploads/UploadOperation.swift": ["return Secret("],
        "TesseraFetch/Uploads/UploadReader.swift": ["let total = self.length", "guard 0...total"],
        "TesseraPostgreSQL/SessionTables.swift": ["row[0].bytes"],
        "TesseraPostgreSQL/PostgreSQLStore.swift": ["let account = Account(issuer: row"],
    },
    "needs a second thread": {"TesseraFetch/Limits/HostLimiter.swift": ["if Task.isCancelled"]},
    "reads a real file": {"TesseraFetch/Uploads/UploadReader.swift": ["case .file(let file)", "let body = HTTPBody(length: count"]},
}
# The beginnings of lines whose regions contain no statement that can run.
WITHOUT_STATEMENTS = ("}", "preconditionFailure(", "case .sequence: preconditionFailure(")
CODE = 0  # The kind of a region that contains code, as opposed to a macro or a gap.


def tool(name):
    return pathlib.Path(shutil.which("swift")).resolve().parent / name


def regions(program, profile):
    """Returns the number of executions of each region of each file."""
    folders = [PROJECT / folder for folders in PARTS.values() for folder in folders]
    command = [tool("llvm-cov"), "export", "-format=text", f"-instr-profile={profile}", program, *(f for f in folders if f.exists())]
    functions = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["data"][0]["functions"]
    found = collections.defaultdict(lambda: collections.Counter())
    for function in functions:
        for first, column, last, end, count, file, _, kind in function["regions"]:
            if kind == CODE:
                found[function["filenames"][file]][first, column, last, end] += count
    return found


def is_excluded(path):
    return any(path.is_relative_to(PROJECT / "Sources" / name) for names in EXCLUDED.values() for name in names)


def unreachable(path, counts):
    """Returns the regions of a file that were not reached and cannot be."""
    lines = [line.strip() for line in path.read_text().splitlines()]
    missed = sorted(region for region, count in counts.items() if count == 0)
    starts = [region for region in missed if lines[region[0] - 1].startswith(WITHOUT_STATEMENTS)]
    for beginning in (text for places in UNREACHABLE.values() for text in places.get(str(path.relative_to(PROJECT / "Sources")), [])):
        numbers = [number for number, line in enumerate(lines, 1) if line.startswith(beginning)]
        if not numbers:
            sys.exit(f"{path}: no line begins with {beginning}")
        for number in numbers:
            on_line = [region for region in missed if region[0] == number]
            starts += on_line or [region for region in missed if number < region[0] < number + 14][:1]
    return {each for each in missed for start in starts if start[:2] <= each[:2] and each[2:] <= start[2:]}


def table(found, title):
    """Prints how many regions of each part were executed, and returns those that were not."""
    missed = []
    print(f"{title:32}{'Regions':>9}{'Reached':>9}{'Share':>9}")
    for part, folders in PARTS.items():
        total = reached = 0
        for path, counts in sorted(found.items()):
            if not any(path.is_relative_to(PROJECT / folder) for folder in folders):
                continue
            total += len(counts)
            reached += sum(count > 0 for count in counts.values())
            missed += [(path, region) for region, count in sorted(counts.items()) if count == 0]
        print(f"{part:32}{total:>9,}{reached:>9,}{reached / total if total else 0:>9.1%}")
    return missed


def main():
    program, profile, *options = sys.argv[1:]
    found = {pathlib.Path(file): counts for file, counts in regions(program, profile).items()}
    table(found, "All files")
    print()
    within = {path: counts for path, counts in found.items() if path.is_relative_to(PROJECT / "Sources") and not is_excluded(path)}
    rest = {path: counts.keys() - unreachable(path, counts) for path, counts in within.items()}
    reachable = {path: {region: within[path][region] for region in regions} for path, regions in rest.items()}
    missed = table(reachable, "What can be reached")
    print("\nOmitted from the second table:")
    for reason, names in EXCLUDED.items():
        print(f"  {', '.join(names)}: {reason}")
    for reason, places in UNREACHABLE.items():
        for name, texts in places.items():
            for text in texts:
                print(f"  {name}, {text}: {reason}")
    if "--list" in options:
        print("\nRegions that can be reached and were not:")
        lines = {}
        for path, (first, column, *_) in missed:
            text = lines.setdefault(path, path.read_text().splitlines())
            print(f"{path.relative_to(PROJECT)}:{first}:{column}: {text[first - 1].strip()}")


main()
