#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Prints which part of Session, Stores and Fetch a run of the simulator has executed.

usage: simulation_coverage.py PROGRAM PROFILE [--list]

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
    "Session": ["Sources/Tessera/Session", "Sources/Tessera/TokenCache"],
    "Stores": ["Sources/Tessera/Stores", "Sources/TesseraStores", "Sources/TesseraPostgreSQL"],
    "Fetch": ["Sources/TesseraFetch", "Sources/Tessera/Sending"],
}
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


def main():
    program, profile, *options = sys.argv[1:]
    found = regions(program, profile)
    rows, missed = [], []
    for part, folders in PARTS.items():
        total = reached = 0
        for file, counts in sorted(found.items()):
            path = pathlib.Path(file)
            if not any(path.is_relative_to(PROJECT / folder) for folder in folders):
                continue
            total += len(counts)
            reached += sum(count > 0 for count in counts.values())
            missed += [(path, region) for region, count in sorted(counts.items()) if count == 0]
        rows.append((part, total, reached))
    print(f"{'Part':10}{'Regions':>9}{'Reached':>9}{'Share':>9}")
    for part, total, reached in rows:
        print(f"{part:10}{total:>9,}{reached:>9,}{reached / total if total else 0:>9.1%}")
    if "--list" in options:
        lines = {}
        for path, (first, column, *_) in missed:
            text = lines.setdefault(path, path.read_text().splitlines())
            print(f"{path.relative_to(PROJECT)}:{first}:{column}: {text[first - 1].strip()}")


main()
