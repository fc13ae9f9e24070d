# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""What a test run printed, and what the tests are called. For the scripts that compare a document with the tests."""
import pathlib
import re

PROJECT = pathlib.Path(__file__).resolve().parent.parent
LOGS = PROJECT / ".build" / "test-logs"
_TESTS = (PROJECT / "Tests", PROJECT / "Programs" / "Tests", PROJECT / "Examples" / "BackendTests")
_ATTRIBUTE = re.compile(r'@(?:Test|Suite)\(\s*"((?:[^"\\]|\\.)*)"')
# What the brackets of an attribute are searched for in: a string literal may have brackets, too.
_TOKEN = re.compile(r'#"(?s:.*?)"#|"""(?s:.*?)"""|"(?:[^"\\\n]|\\.)*"|[()]')
_OUTCOME = re.compile(r'(?:Test|Suite) "(.*)" (?:with \d+ test cases? )?(passed|failed|skipped)')


def attributes():
    """Yields the title of every test and suite, with the rest of its attribute."""
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
    """Title to numbers, of the tests and suites with this trait: `.covers(26, 28)`, `.shows(claims: 4, 7)`."""
    found = {}
    for title, rest in attributes():
        for numbers in re.findall(rf"\.{trait}\((?:claims: )?([\d\s,]+)\)", rest):
            found.setdefault(title, set()).update(int(number) for number in numbers.split(","))
    return found


def outcomes(folder):
    """Title to "passed", "failed" or "skipped". A title that failed anywhere failed."""
    results = {}
    for log in sorted(folder.iterdir()):
        for line in log.read_text(errors="replace").splitlines():
            if match := _OUTCOME.search(line):
                if results.get(match[1]) != "failed" and (match[2] != "skipped" or match[1] not in results):
                    results[match[1]] = match[2]
    return results
