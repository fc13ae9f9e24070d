# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Brings recorded requests into a form in which the requests of two clients can be compared.

Times become relative, JWTs and signed AWS requests are decoded, and their signatures are verified.
"""
import base64
import binascii
import hashlib
import hmac
import json
import re
import time
import urllib.parse

from credential_servers import AWS_KEYS

# Other fields describe the client or the connection.
FIELDS = [
    "authorization", "content-type", "metadata-flavor", "metadata", "x-custom", "x-aws-ec2-metadata-token",
    "x-aws-ec2-metadata-token-ttl-seconds", "x-goog-user-project", "x-allowed-locations",
]
# The API's parameters that do not change the meaning of a call.
IGNORED_QUERY = {"alt", "prettyPrint"}
JWT = re.compile(r"[\w-]+\.[\w-]+\.[\w-]+")


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Normalizer:
    def __init__(self, public_keys):
        self.public_keys = public_keys

    def request(self, record):
        """Returns the request with its body in the form of sorted JSON."""
        parts = urllib.parse.urlsplit(record["url"])
        query = [pair for pair in urllib.parse.parse_qsl(parts.query, True) if pair[0] not in IGNORED_QUERY]
        url = f"{parts.scheme}://{parts.netloc}{urllib.parse.unquote(parts.path) or '/'}"
        fields = {name: record["fields"][name] for name in FIELDS if name in record["fields"]}
        if "authorization" in fields:
            fields["authorization"] = self.authorization(fields["authorization"])
        body = self.body(record["body"], fields.get("content-type", ""))
        if body is None:
            fields.pop("content-type", None)
        return {"method": record["method"], "url": url, "query": sorted(query), "fields": fields, "body": body}

    def authorization(self, value):
        scheme, _, credentials = value.partition(" ")
        if scheme == "Basic":
            return {"Basic": base64.b64decode(credentials).decode()}
        return {scheme: self.value(credentials)}

    def body(self, body, content_type):
        if not body:
            return None
        if content_type.startswith("application/x-www-form-urlencoded"):
            pairs = urllib.parse.parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=True)
            return {"form": sorted([name, self.parameter(name, value)] for name, value in pairs)}
        try:
            members = json.loads(body)
        except ValueError:
            return {"bytes": body.decode(errors="replace")}
        if isinstance(members, dict) and isinstance(members.get("payload"), str):
            # The claims for signJwt are JSON in JSON.
            try:
                members["payload"] = self.claims(json.loads(members["payload"]))
            except ValueError:
                pass
        return {"json": members}

    def parameter(self, name, value):
        if name == "options":
            return {"percent-encoded": json.loads(urllib.parse.unquote(value)), "is encoded": "{" not in value}
        if name == "subject_token" and "x-goog-cloud-target-resource" in value:
            return self.amazon(value)
        if name == "subject_token" and value.startswith("["):
            return {"certificates": json.loads(value)}
        return self.value(value)

    # Tokens

    def value(self, text):
        """Returns a decoded JWT, or the text if it is not a JWT."""
        if not isinstance(text, str) or not JWT.fullmatch(text):
            return text
        try:
            header, claims, signature = text.split(".")
            header, claims = json.loads(decode(header)), json.loads(decode(claims))
        except (ValueError, binascii.Error):
            return text
        signed = text.rpartition(".")[0].encode()
        return {"header": header, "claims": self.claims(claims), "signature": self.signer(decode(signature), signed)}

    def claims(self, claims):
        claims = dict(claims)
        issued, expires = claims.get("iat"), claims.get("exp")
        if isinstance(issued, int) and isinstance(expires, int):
            claims["exp"] = f"iat + {expires - issued}"
        if isinstance(issued, int) and abs(issued - time.time()) < 120:
            claims["iat"] = "now"
        if "jti" in claims:
            claims["jti"] = "random"
        return claims

    def signer(self, signature, signed):
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric import padding
        from cryptography.hazmat.primitives.hashes import SHA256

        for name, key in self.public_keys.items():
            try:
                key.verify(signature, signed, padding.PKCS1v15(), SHA256())
                return f"of {name}"
            except InvalidSignature:
                pass
        return "invalid" if signature != b"signature" else "of the server"

    # Signed requests for AWS

    def amazon(self, text):
        """Returns the decoded request for GetCallerIdentity after verifying its signature (Signature Version 4)."""
        request = json.loads(urllib.parse.unquote(text))
        pairs = [(field["key"], field["value"]) for field in request.pop("headers")]
        fields = {name.lower(): value for name, value in pairs}
        form = r"AWS4-HMAC-SHA256 Credential=([^/]+)/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)"
        key, scope, names, signature = re.fullmatch(form, fields["authorization"]).groups()
        canonical = self.canonical_request(request, fields, names)
        moment = fields["x-amz-date"]
        to_sign = "\n".join(["AWS4-HMAC-SHA256", moment, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        signing_key = ("AWS4" + AWS_KEYS[key]).encode()
        for part in scope.split("/") + [to_sign]:
            signing_key = hmac.new(signing_key, part.encode(), hashlib.sha256).digest()
        is_now = abs(time.mktime(time.strptime(moment, "%Y%m%dT%H%M%SZ")) - time.mktime(time.gmtime())) < 120
        day = moment[:8]
        fields["authorization"] = {
            "key": key, "scope": scope.replace(day, "DAY", 1), "signed": names,
            "signature": "valid" if signing_key.hex() == signature else "invalid",
        }
        fields["x-amz-date"] = "now" if is_now else moment
        return {
            **request, "names": sorted(name for name, _ in pairs), "fields": fields,
            "canonical request": canonical.replace(moment, "NOW"), "is encoded": "{" not in text,
            "members": sorted(request),
        }

    @staticmethod
    def canonical_request(request, fields, names):
        parts = urllib.parse.urlsplit(request["url"])
        pairs = sorted(urllib.parse.parse_qsl(parts.query, True))
        query = "&".join("=".join(urllib.parse.quote(part, safe="-_.~") for part in pair) for pair in pairs)
        payload = hashlib.sha256((request.get("data") or "").encode()).hexdigest()
        lines = [f"{name}:{fields[name]}" for name in names.split(";")]
        return "\n".join([request["method"], parts.path or "/", query, *lines, "", names, payload])


def same_form(value):
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def differences(first, second):
    """Returns the aspects in which two requests differ, each with the two values."""
    found = []
    for aspect in ("method", "url", "query", "body"):
        if same_form(first[aspect]) != same_form(second[aspect]):
            found.append(("url" if aspect == "query" else aspect, first[aspect], second[aspect]))
    for name in sorted(set(first["fields"]) | set(second["fields"])):
        one, other = first["fields"].get(name), second["fields"].get(name)
        if same_form(one) != same_form(other):
            found.append((name, one, other))
    return found
