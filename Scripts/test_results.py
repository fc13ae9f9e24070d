# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""What a test run printed, and what the tests are called. For the scripts that compare a document with the tests."""
import pathlib
import re

PROJECT = pathlib.Path(__file__).resolve().parent.parent
LOGS = PROJECT / ".build" / "test-logs"
_ATTRIBUTE = re.compile(r'@(?:Test|Suite)\(\s*"((?:[^"\\]|\\.)*)"')
_OUTCOME = re.compile(r'(?:Test|Suite) "(.*)" (?:with \d+ test cases? )?(passed|failed|skipped)')


def attributes():
    """Yields the title of every test and suite, with the rest of its attribute."""
    for file in sorted((PROJECT / "Tests").rglob("*.swift")):
        text = file.read_text()
        for match in _ATTRIBUTE.finditer(text):
            end, depth = match.end(), 1
            while depth and end < len(text):
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            yield match[1].replace('\\"', '"').replace("\\\\", "\\"), text[match.end() : end]


def outcomes(folder):
    """Title to "passed", "failed" or "skipped". A title that failed anywhere failed."""
    results = {}
    for log in sorted(folder.iterdir()):
        for line in log.read_text(errors="replace").splitlines():
            if match := _OUTCOME.search(line):
                if results.get(match[1]) != "failed" and (match[2] != "skipped" or match[1] not in results):
                    results[match[1]] = match[2]
    return results
