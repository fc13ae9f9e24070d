// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Crypto
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// A signed request for `GetCallerIdentity`, which is a subject token of AWS.
///
/// - SeeAlso: [Signature Version 4](https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html)
struct AWSSignedRequest: Sendable {
    private let method: String
    private let url: URIParts
    /// The header fields with names in lowercase.
    private let fields: [String: String]

    /// Parses a percent-encoded JSON object with the members `url`, `method` and `headers`.
    init?(_ text: String) {
        guard let bytes = PercentEncoding.decode(text.utf8, isStrict: true), let node = try? JSONValue(parsing: bytes),
            let method = node["method"]?.string, let url = node["url"]?.string.flatMap({ URIParts($0) }),
            let headers = node["headers"]?.elements
        else { return nil }
        var fields: [String: String] = [:]
        for header in headers {
            guard let name = header["key"]?.string?.lowercased(), let value = header["value"]?.string,
                fields.updateValue(value.trimmed, forKey: name) == nil
            else { return nil }
        }
        (self.method, self.url, self.fields) = (method, url, fields)
    }

    /// Returns whether the request identifies the owner of the credentials to an identity provider.
    func isValid(for audience: String, signedWith credentials: LocalAWSCredentials) -> Bool {
        let form = /AWS4-HMAC-SHA256 Credential=([^\/]+)\/([^, ]+), ?SignedHeaders=([^, ]+), ?Signature=([0-9a-f]{64})/
        guard let host = self.url.host, host.hasPrefix("sts."), self.url.scheme == "https",
            self.url.query?.contains("Action=GetCallerIdentity") ?? false, self.fields["host"] == host,
            self.fields["x-goog-cloud-target-resource"] == audience,
            self.fields["x-amz-security-token"] == credentials.sessionToken,
            let date = self.fields["x-amz-date"],
            let parts = self.fields["authorization"]?.wholeMatch(of: form)?.output, parts.1 == credentials.accessKeyID
        else { return false }
        let scope = String(parts.2)
        let names = parts.3.split(separator: ";").map(String.init)
        let steps = scope.split(separator: "/").map(String.init)
        guard names.contains("host"), steps.count == 4, steps[2...] == ["sts", "aws4_request"] else { return false }
        let canonical = [
            self.method, self.url.path.isEmpty ? "/" : self.url.path,
            (self.url.query ?? "").split(separator: "&").sorted().joined(separator: "&"),
            names.map { "\($0):\(self.fields[$0] ?? "")\n" }.joined(), String(parts.3), Self.hash(""),
        ]
        let text = ["AWS4-HMAC-SHA256", date, scope, Self.hash(canonical.joined(separator: "\n"))]
        var key = Array("AWS4\(credentials.secretAccessKey)".utf8)
        for part in steps + [text.joined(separator: "\n")] {
            let code = HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: SymmetricKey(data: key))
            key = Array(code)
        }
        return Self.hexadecimal(key) == parts.4
    }

    private static func hash(_ text: String) -> String { Self.hexadecimal(Array(SHA256.hash(data: Array(text.utf8)))) }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
#endif
