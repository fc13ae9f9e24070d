// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
internal import TesseraSupport
public import TesseraOAuth

/// Credentials of Amazon Web Services.
public struct AWSCredentials: Sendable, Hashable {
    /// The ID of the access key.
    public var accessKeyID: String
    /// The secret access key.
    public var secretAccessKey: Secret
    /// The session token of temporary credentials.
    public var sessionToken: Secret?

    /// Creates credentials.
    public init(accessKeyID: String, secretAccessKey: Secret, sessionToken: Secret? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }
}

/// A signer of requests to Amazon Web Services (Signature Version 4).
///
/// - SeeAlso: [Create a signed AWS API request](https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html)
struct AWSRequestSigner: Sendable {
    let credentials: AWSCredentials
    let region: String
    let service: String
    /// The time of the request.
    let date: Date

    /// Returns the signature of a request as the value of `Authorization`, and the value of `x-amz-date`.
    ///
    /// The path is percent-encoded and the query is not. The fields to sign have lowercase names and include `host`. If
    /// they include `date`, it replaces `x-amz-date`.
    func signature(
        method: String,
        path: String,
        query: [(name: String, value: String)],
        fields: [String: String],
        body: [UInt8] = []
    ) -> (authorization: String, date: String) {
        let time = self.timestamp
        var fields = fields
        self.credentials.sessionToken?.withUnredacted { fields["x-amz-security-token"] = $0 }
        if fields["date"] == nil { fields["x-amz-date"] = time }
        let names = fields.keys.sorted()
        let canonicalRequest = [
            method, path.isEmpty ? "/" : path, Self.canonicalQuery(query),
            names.map { "\($0):\(Self.trimmed(fields[$0] ?? ""))\n" }.joined(), names.joined(separator: ";"),
            Self.hex(SHA256.hash(data: body)),
        ]
        .joined(separator: "\n")
        let day = String(time.prefix(8))
        let scope = "\(day)/\(self.region)/\(self.service)/aws4_request"
        let text = [
            "AWS4-HMAC-SHA256", time, scope, Self.hex(SHA256.hash(data: Array(canonicalRequest.utf8))),
        ]
        .joined(separator: "\n")
        let signature = Self.hex(Self.code(text, self.key(day)))
        let authorization =
            "AWS4-HMAC-SHA256 Credential=\(self.credentials.accessKeyID)/\(scope), "
            + "SignedHeaders=\(names.joined(separator: ";")), Signature=\(signature)"
        return (authorization, time)
    }

    /// The time in the basic format of ISO 8601, such as `20261128T101500Z`.
    private var timestamp: String {
        let seconds = Int64(self.date.timeIntervalSince1970.rounded(.down))
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let day = CalendarDay(daysSince1970: days)
        let rest = seconds - days * 86_400
        let numbers = [day.month, day.day, Int(rest / 3_600), Int(rest / 60 % 60), Int(rest % 60)]
            .map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(day.year)\(numbers[0])\(numbers[1])T\(numbers[2])\(numbers[3])\(numbers[4])Z"
    }

    private static func canonicalQuery(_ query: [(name: String, value: String)]) -> String {
        let pairs: [[String]] = query.map { [PercentEncoding.encode($0.name), PercentEncoding.encode($0.value)] }
        let sorted = pairs.sorted { $0.lexicographicallyPrecedes($1) }
        return sorted.map { $0.joined(separator: "=") }.joined(separator: "&")
    }

    /// Removes surrounding spaces and reduces successive spaces to one.
    private static func trimmed(_ value: String) -> String { value.split(separator: " ").joined(separator: " ") }

    private func key(_ day: String) -> SymmetricKey {
        let secret = self.credentials.secretAccessKey.withUnredacted { SymmetricKey(data: Array("AWS4\($0)".utf8)) }
        return [day, self.region, self.service, "aws4_request"]
            .reduce(secret) { key, text in
                SymmetricKey(data: Self.code(text, key))
            }
    }

    private static func code(_ text: String, _ key: SymmetricKey) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
