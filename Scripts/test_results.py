# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""The titles of the tests and the results of a test run, for scripts that compare documents with tests."""
import pathlib
import re

PROJECT = pathlib.Path(__file__).resolve().parent.parent
LOGS = PROJECT / ".build" / "test-logs"
_TESTS = (PROJECT / "Tests", PROJECT / "Programs" / "Tests", *sorted((PROJECT / "Examples").glob("*Tests")))
_ATTRIBUTE = re.compile(r'@(?:Test|Suite)\(\s*"((?:[^"\\]|\\.)*)"')
# String literals and brackets. Brackets in string literals must be ignored.
_TOKEN = re.compile(r'#"(?s:.*?)"#|"""(?s:.*?)"""|"(?:[^"\\\n]|\\.)*"|[()]')
_OUTCOME = re.compile(r'(?:Test|Suite) "(.*)" (?:with \d+ test cases? )?(passed|failed|skipped)')


def attributes():
    """Yields the title of every test and suite and the rest of its attribute."""
    for file in sorted(file for folder in _TESTS if folder.is_dir() for file in folder.rglob("*.swift")):
        text = file.read_text()
        for match in _ATTRIBUTE.finditer(text):
            end, depth = match.end(), 1
            for token in _TOKEN.finditer(text, match.end()):
                depth += {"(": 1, ")": -1}.get(token[0], 0)
                if depth == 0:
                    end = token.end()
                    break
            yield match[1].replace('\\"', '"').replace("\\\\", "\\"), text[match.end() : end]


def marked(trait):
    """Maps the title of each test and suite with a trait to its numbers: `.covers(26, 28)`, `.shows(claims: 4, 7)`."""
    found = {}
    for title, rest in attributes():
        for numbers in re.findall(rf"\.{trait}\((?:claims: )?([\d\s,]+)\)", rest):
            found.setdefault(title, set()).update(int(number) for number in numbers.split(","))
    return found


def outcomes(folder):
    """Maps each title to "passed", "failed" or "skipped". A title with any failed run is "failed"."""
    results = {}
    for log in sorted(folder.iterdir()):
        for line in log.read_text(errors="replace").splitlines():
            if match := _OUTCOME.search(line):
                if results.get(match[1]) != "failed" and (match[2] != "skipped" or match[1] not in results):
                    results[match[1]] = match[2]
    return results
