// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON

/// A token's contents as text, without the token or its signature.
struct TokenReport: Sendable {
    let parts: TokenParts
    let verification: TokenVerification
    let now: Date

    init(_ parts: TokenParts, _ verification: TokenVerification, now: Date = WallClock.now) {
        self.parts = parts
        self.verification = verification
        self.now = now
    }

    var text: TerminalText {
        var sections = ["Header\n" as TerminalText + Self.table(self.parts.header) { _, value in Self.plain(value) }]
        if let claims = self.parts.claims {
            sections.append("Claims\n" + Self.table(claims) { name, value in self.claim(name, value) })
        }
        var decision = FieldTable()
        decision.add("Validity", self.validity)
        decision.add("Signature", self.verification.text)
        sections.append("Verdict\n" + decision.text)
        return sections.joined(separator: "\n\n")
    }

    var members: [JSONMember] {
        [
            JSONMember(name: "header", value: .parsed(self.parts.header)),
            JSONMember(name: "claims", value: self.parts.claims.map { .parsed($0) } ?? .null),
            JSONMember(name: "issuedAt", value: TimeText.json(self.time("iat"))),
            JSONMember(name: "notBefore", value: TimeText.json(self.time("nbf"))),
            JSONMember(name: "expiresAt", value: TimeText.json(self.time("exp"))),
            JSONMember(name: "expired", value: self.time("exp").map { .bool($0 <= self.now) } ?? .null),
            JSONMember(name: "signature", value: .string(self.verification.word)),
        ]
    }

    private static func table(_ object: JSONValue, _ text: (String, JSONValue) -> String) -> TerminalText {
        var table = FieldTable()
        for member in object.members.map(Array.init) ?? [] {
            table.add(UntrustedText.printable(member.name, limit: 40), text(member.name, member.value))
        }
        return table.text
    }

    private static func plain(_ value: JSONValue) -> String {
        UntrustedText.printable(value.string ?? value.text, limit: 500)
    }

    private static let timeClaims: Set<String> = ["exp", "iat", "nbf", "auth_time", "updated_at"]

    /// Returns a claim as text, with the date and the relative time if the claim is a time.
    private func claim(_ name: String, _ value: JSONValue) -> String {
        guard Self.timeClaims.contains(name), let time = self.time(name) else { return Self.plain(value) }
        return "\(Self.plain(value))  \(TimeText.stamp(time)), \(TimeText.relative(time, to: self.now))"
    }

    private func time(_ name: String) -> Date? {
        guard let seconds = self.parts.claims?[name]?.numberText.flatMap(Double.init),
            (0...253_402_300_799).contains(seconds)
        else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }

    private var validity: String? {
        guard self.parts.claims != nil else { return nil }
        if let start = self.time("nbf"), start > self.now {
            return "not valid yet: valid \(TimeText.relative(start, to: self.now))"
        }
        guard let end = self.time("exp") else { return "no expiration time" }
        return end > self.now
            ? "ends \(TimeText.relative(end, to: self.now))" : "expired \(TimeText.relative(end, to: self.now))"
    }
}

/// The decoded parts of a JWT that has not been verified.
struct TokenParts: Sendable {
    let header: JSONValue
    /// The claims, or nil if the token is encrypted or the payload is not an object.
    let claims: JSONValue?
    let isEncrypted: Bool

    /// Decodes a JWT.
    ///
    /// - Throws: ``CommandError`` if the text is not a JWT. The error does not include any of the text.
    init(_ text: String) throws(CommandError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard text.utf8.count <= CompactJWS.maximumLength, parts.count == 3 || parts.count == 5,
            let header = Self.object(parts[0])
        else {
            throw CommandError(
                ProtocolViolationError.Rule.jwsFormat.rawValue,
                "The text is not a JWT: a JWT has 3 parts in base64url separated by dots, or 5 if it is encrypted",
                "Pass an ID token, or an access token that is a JWT. Many providers' access tokens are not."
            )
        }
        self.header = header
        self.isEncrypted = parts.count == 5
        self.claims = self.isEncrypted ? nil : Self.object(parts[1])
    }

    private static func object(_ part: String) -> JSONValue? {
        guard let bytes = Base64URL.decode(part), let value = try? JSONValue(parsing: bytes), value.kind == .object
        else { return nil }
        return value
    }
}
