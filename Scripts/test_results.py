# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""The titles of the tests and the results of a test run, for scripts that compare documents with tests."""
import json
import pathlib
import re

PROJECT = pathlib.Path(__file__).resolve().parent.parent
LOGS = PROJECT / ".build" / "test-logs"
_TESTS = (PROJECT / "Tests", PROJECT / "Programs" / "Tests", *sorted((PROJECT / "Examples").glob("*Tests")))
_ATTRIBUTE = re.compile(r'@(?:Test|Suite)\(\s*"((?:[^"\\]|\\.)*)"')
# String literals and brackets. Brackets in string literals must be ignored.
_TOKEN = re.compile(r'#"(?s:.*?)"#|"""(?s:.*?)"""|"(?:[^"\\\n]|\\.)*"|[()]')


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
    """Maps each title to "passed", "failed" or "skipped". A title with any failed run is "failed".

    The results come from the event streams of Swift Testing. The output for people is not reliable: a program that a
    test starts can write between two halves of a line.
    """
    results = {}
    for events in sorted(folder.glob("*.events")):
        for title, result in _results(events):
            if results.get(title) != "failed" and (result != "skipped" or title not in results):
                results[title] = result
    return results


def _results(events):
    """Yields the title and result of each test and suite in an event stream."""
    titles = {}
    for line in events.read_text().split("\n")[:-1]:
        record = json.loads(line)
        payload = record["payload"]
        if record["kind"] == "test":
            titles[payload["id"]] = payload.get("displayName", payload["name"])
        elif payload["kind"] == "testSkipped":
            yield titles[payload["testID"]], "skipped"
        elif payload["kind"] == "testEnded":
            is_failure = any(message["symbol"] == "fail" for message in payload["messages"])
            yield titles[payload["testID"]], "failed" if is_failure else "passed"
