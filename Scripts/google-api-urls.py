# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Prints the HTTP method and URL that Google's Python client uses for each method of some APIs, as JSON by identifier.

The parameters have sample values that follow the same rules as SampleValue in TesseraAPIGenerator.
"""

import json
import pathlib
import sys

import googleapiclient.discovery
import googleapiclient.discovery_cache
import httplib2


def sample(parameter):
    """Returns a sample value for a parameter."""
    if parameter.get("enum"):
        value = parameter["enum"][0]
    elif parameter["type"] == "boolean":
        value = True
    elif parameter["type"] == "integer":
        value = 7
    elif parameter["type"] == "number":
        value = 1.5
    else:
        value = {
            "int64": "12345678901",
            "uint64": "12345678901",
            "byte": "AQI=",
            "google-datetime": "2026-11-23T10:00:00Z",
            "date-time": "2026-11-23T10:00:00Z",
            "date": "2026-11-23",
            "google-duration": "3s",
        }.get(parameter.get("format"))
        if value is None:
            pattern = parameter.get("pattern")
            value = "a b/\u00fc+" if pattern is None else text(pattern)
    return [value, value] if parameter.get("repeated") else value


def text(pattern):
    return pattern.replace("[^/]+", "x1").replace(".*", "y").replace("^", "").replace("$", "")


def walk(description, resource, found):
    for name, method in sorted(description.get("methods", {}).items()):
        function = getattr(resource, googleapiclient.discovery.fix_method_name(name))
        arguments = {
            googleapiclient.discovery.key2param(parameter): sample(details)
            for parameter, details in method.get("parameters", {}).items()
        }
        if "request" in method:
            arguments["body"] = {}
        request = function(**arguments)
        found[method["id"]] = [request.method, request.uri]
    for name, below in sorted(description.get("resources", {}).items()):
        member = getattr(resource, googleapiclient.discovery.fix_method_name(name))
        walk(below, member(), found)


documents = pathlib.Path(googleapiclient.discovery_cache.__path__[0]) / "documents"
found = {}
for api in sys.argv[1:]:
    name, version = api.split(".")
    service = googleapiclient.discovery.build(name, version, http=httplib2.Http(), static_discovery=True)
    # Read the document again, because the client adds parameters to its copy.
    walk(json.loads((documents / f"{api}.json").read_text()), service, found)
lines = [f"{json.dumps(method)}: {json.dumps(found[method])}" for method in sorted(found)]
print("{\n" + ",\n".join(lines) + "\n}")
