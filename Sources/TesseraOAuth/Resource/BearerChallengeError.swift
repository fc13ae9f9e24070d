// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes

/// A resource said no: the `Bearer` or `DPoP` challenge of its 401 or 403.
///
/// - SeeAlso: [RFC 6750, section 3](https://www.rfc-editor.org/rfc/rfc6750.html#section-3),
///   [RFC 9728, section 5.1](https://www.rfc-editor.org/rfc/rfc9728.html#section-5.1),
///   [RFC 9449, section 7.1](https://www.rfc-editor.org/rfc/rfc9449.html#section-7.1)
public struct BearerChallengeError: ErrorGuidance, Sendable, Hashable {
    /// The HTTP status, 401 or 403.
    public let status: Int
    /// The scheme of the challenge: which kind of token the resource speaks of.
    public let tokenType: TokenType
    /// `error`: `invalid_token`, `insufficient_scope`, `invalid_request`, for `DPoP` also `use_dpop_nonce`; or nothing.
    public private(set) var error: String?
    /// `error_description`: the server's own text.
    public private(set) var serverDescription: String?
    /// `scope`: what the resource would need, without what cannot be a scope (RFC 6749, section 3.3).
    public private(set) var scope: [Scope]
    /// `realm`.
    public private(set) var realm: String?
    /// `resource_metadata`: where the resource says which servers it takes tokens from; not checked yet, see
    /// ``ProtectedResourceMetadataRequest``.
    public private(set) var resourceMetadata: String?

    /// `algs`: the algorithms by which `DPoP` proofs may be signed; empty where it is not said.
    public private(set) var algorithms: [String]

    /// Reads the challenge of a response; nil where there is none.
    ///
    /// Of several challenges, as an API for both kinds of tokens sends them, the first with an `error` counts, else the
    /// first.
    public init?(_ response: HTTPResponse) {
        let values = response.headerFields[values: .wwwAuthenticate]
        let challenges = values.flatMap { AuthenticationChallenge.parse($0) }
        let readable = challenges.compactMap { challenge -> (TokenType, AuthenticationChallenge)? in
            [TokenType.bearer, .dpop].first { $0.rawValue.lowercased() == challenge.scheme.lowercased() }
                .map { ($0, challenge) }
        }
        guard let (type, challenge) = readable.first(where: { $0.1.parameters["error"] != nil }) ?? readable.first
        else {
            return nil
        }
        self.status = Int(response.status.code)
        self.tokenType = type
        self.error = challenge.parameters["error"]
        self.serverDescription = challenge.parameters["error_description"]
        let scopes = challenge.parameters["scope"].map(ScopeList.scopes) ?? []
        self.scope = scopes.filter { ScopeList.isScopeToken($0.rawValue) }
        self.realm = challenge.parameters["realm"]
        self.resourceMetadata = challenge.parameters["resource_metadata"]
        self.algorithms = challenge.parameters["algs"]?.split(separator: " ").map(String.init) ?? []
    }

    /// The same refusal without the secrets that the resource repeated.
    package func without(_ secrets: CarriedSecrets) -> BearerChallengeError {
        var challenge = self
        challenge.error = self.error.map { secrets.removed(fromName: $0) }
        challenge.serverDescription = self.serverDescription.map { secrets.removed(from: $0) }
        challenge.realm = self.realm.map { secrets.removed(from: $0) }
        challenge.scope = self.scope.map { Scope(rawValue: secrets.removed(fromName: $0.rawValue)) }
        challenge.resourceMetadata = self.resourceMetadata.map { secrets.removed(from: $0) }
        challenge.algorithms = self.algorithms.map { secrets.removed(fromName: $0) }
        return challenge
    }

    /// Whether more scopes, not another token, would help.
    public var isInsufficientScope: Bool { self.error == "insufficient_scope" }
    /// One line: what the resource said.
    public var description: String {
        let error = UntrustedText.printable(self.error ?? "no reason given")
        let words = self.serverDescription.map { ": " + UntrustedText.printable($0) } ?? ""
        return "The API refused the call (HTTP \(self.status), \(error))\(words)"
    }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? {
        guard self.isInsufficientScope else { return "Sign in again if it stays so; the token may have been revoked." }
        let scopes = UntrustedText.printable(self.scope.map(\.rawValue).joined(separator: " "))
        return "Ask the person for more scopes" + (scopes.isEmpty ? "." : ": " + scopes)
    }
}

/// One challenge of a `WWW-Authenticate` header.
///
/// - SeeAlso: [RFC 9110, section 11.6.1](https://www.rfc-editor.org/rfc/rfc9110.html#section-11.6.1)
public struct AuthenticationChallenge: Sendable, Hashable {
    /// The scheme, as sent; compare without case.
    public let scheme: String
    /// The one token of a scheme that has one instead of parameters.
    public let token68: String?
    /// Parameters by lower-case name; of equal names the first counts.
    public let parameters: [String: String]

    /// Reads a field value, which may hold several challenges; empty for anything that is none.
    ///
    /// Never traps.
    public static func parse(_ field: String) -> [AuthenticationChallenge] {
        var scanner = ChallengeScanner(Array(field.utf8.prefix(16_384)))
        var challenges: [AuthenticationChallenge] = []
        scanner.skip { $0.isSpace || $0 == 0x2C }
        while let scheme = scanner.token() {
            guard scanner.atEnd || scanner.peekIs(0x2C) || scanner.skip({ $0.isSpace }) > 0 else { return challenges }
            let token68 = scanner.token68()
            var parameters: [String: String] = [:]
            while token68 == nil {
                scanner.skip { $0.isSpace || $0 == 0x2C }
                let start = scanner.position
                guard let name = scanner.token()?.lowercased(), let value = scanner.parameterValue() else {
                    scanner.position = start
                    break
                }
                if parameters[name] == nil { parameters[name] = value }
            }
            challenges.append(Self(scheme: scheme, token68: token68, parameters: parameters))
            scanner.skip { $0.isSpace || $0 == 0x2C }
        }
        return challenges
    }
}

/// Walks over the bytes of a `WWW-Authenticate` field.
struct ChallengeScanner {
    private let bytes: [UInt8]
    var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var atEnd: Bool { self.position >= self.bytes.count }
    private var current: UInt8? { self.atEnd ? nil : self.bytes[self.position] }

    func peekIs(_ byte: UInt8) -> Bool { self.current == byte }

    @discardableResult
    mutating func skip(_ belongs: (UInt8) -> Bool) -> Int {
        let start = self.position
        while let byte = self.current, belongs(byte) { self.position += 1 }
        return self.position - start
    }

    /// `token`, RFC 9110, section 5.6.2.
    mutating func token() -> String? {
        let start = self.position
        self.skip { $0.isTokenCharacter }
        return start == self.position ? nil : String(decoding: self.bytes[start..<self.position], as: UTF8.self)
    }

    /// A token68 that stands alone: up to the end or the next comma.
    ///
    /// Else nothing is consumed.
    mutating func token68() -> String? {
        let start = self.position
        self.skip { $0.isToken68Character }
        let body = self.position
        self.skip { $0 == 0x3D }
        let end = self.position
        self.skip { $0.isSpace }
        guard body > start, self.atEnd || self.peekIs(0x2C) else {
            self.position = start
            return nil
        }
        return String(decoding: self.bytes[start..<end], as: UTF8.self)
    }

    /// `= value`, where the value is a token or a quoted string; nil when it is neither.
    mutating func parameterValue() -> String? {
        self.skip { $0.isSpace }
        guard self.peekIs(0x3D) else { return nil }
        self.position += 1
        self.skip { $0.isSpace }
        return self.peekIs(0x22) ? self.quotedString() : self.token()
    }

    private mutating func quotedString() -> String? {
        self.position += 1
        var content: [UInt8] = []
        while let byte = self.current {
            self.position += 1
            if byte == 0x22 { return String(decoding: content, as: UTF8.self) }
            if byte == 0x5C, let escaped = self.current {
                self.position += 1
                content.append(escaped)
            } else {
                content.append(byte)
            }
        }
        return nil
    }
}

extension UInt8 {
    var isSpace: Bool { self == 0x20 || self == 0x09 }

    fileprivate var isLetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }

    fileprivate var isTokenCharacter: Bool { self.isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }

    var isToken68Character: Bool { self.isLetterOrDigit || "-._~+/".utf8.contains(self) }
}
