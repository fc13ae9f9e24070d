// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraSupport

/// An error that describes why a resource server rejected a call, based on the `Bearer` or `DPoP` challenge in its 401
/// or 403 response.
///
/// - SeeAlso: [RFC 6750, section 3](https://www.rfc-editor.org/rfc/rfc6750.html#section-3),
///   [RFC 9728, section 5.1](https://www.rfc-editor.org/rfc/rfc9728.html#section-5.1),
///   [RFC 9449, section 7.1](https://www.rfc-editor.org/rfc/rfc9449.html#section-7.1)
public struct BearerChallengeError: ErrorGuidance, Sendable, Hashable {
    /// The HTTP status, 401 or 403.
    public let status: Int
    /// The type of token that the resource server requires, as indicated by the challenge's scheme.
    public let tokenType: TokenType
    /// The error code (`error`), if present, such as `invalid_token`, `insufficient_scope`, `invalid_request` or, for
    /// `DPoP`, `use_dpop_nonce`.
    public private(set) var error: String?
    /// The server's description of the error (`error_description`).
    public private(set) var serverDescription: String?
    /// The first 100 scopes that the resource requires (`scope`), excluding values that are not valid scopes (RFC 6749,
    /// section 3.3).
    public private(set) var scope: [Scope]
    /// The protected area of the server (`realm`).
    public private(set) var realm: String?
    /// The unchecked URL of the resource's metadata (`resource_metadata`).
    ///
    /// See ``ProtectedResourceMetadataRequest``.
    public private(set) var resourceMetadata: String?

    /// The first 100 algorithms that the server accepts for `DPoP` proofs (`algs`), or an empty array if it does not list
    /// any.
    public private(set) var algorithms: [String]

    /// Creates an error from the challenge in a response, or returns nil if there is no challenge.
    ///
    /// An API that accepts both token types sends several challenges. The first challenge with an `error` is used, or
    /// the first challenge if none has an `error`.
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
        self.scope = Array(scopes.lazy.filter { ScopeList.isScopeToken($0.rawValue) }.prefix(Self.limit))
        self.realm = challenge.parameters["realm"]
        self.resourceMetadata = challenge.parameters["resource_metadata"]
        self.algorithms = challenge.parameters["algs"]?.split(separator: " ").prefix(Self.limit).map(String.init) ?? []
    }

    /// The maximum number of scopes and of algorithms, each of which is searched for secrets.
    private static let limit = 100

    /// Returns the error without any secrets that the server repeated.
    package func without(_ secrets: ExchangeSecrets) -> BearerChallengeError {
        var challenge = self
        challenge.error = self.error.map { secrets.removed(fromName: $0) }
        challenge.serverDescription = self.serverDescription.map { secrets.removed(from: $0) }
        challenge.realm = self.realm.map { secrets.removed(from: $0) }
        challenge.scope = self.scope.map { Scope(rawValue: secrets.removed(fromName: $0.rawValue)) }
        challenge.resourceMetadata = self.resourceMetadata.map { secrets.removed(from: $0) }
        challenge.algorithms = self.algorithms.map { secrets.removed(fromName: $0) }
        return challenge
    }

    /// Whether the request requires more scopes rather than a different token.
    public var isInsufficientScope: Bool { self.error == "insufficient_scope" }
    /// A one-line description that contains the status and the server's description.
    public var description: String {
        let error = UntrustedText.printable(self.error ?? "no reason given")
        let words = self.serverDescription.map { ": " + UntrustedText.printable($0) } ?? ""
        return "The API rejected the call (HTTP \(self.status), \(error))\(words)"
    }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? {
        guard self.isInsufficientScope else {
            return "Sign in again if the error persists. The token may have been revoked."
        }
        let scopes = UntrustedText.printable(self.scope.map(\.rawValue).joined(separator: " "))
        return "Ask the user to grant more scopes" + (scopes.isEmpty ? "." : ": " + scopes)
    }
}

/// A challenge in a `WWW-Authenticate` field.
///
/// - SeeAlso: [RFC 9110, section 11.6.1](https://www.rfc-editor.org/rfc/rfc9110.html#section-11.6.1)
public struct AuthenticationChallenge: Sendable, Hashable {
    /// The scheme as the server spelled it.
    ///
    /// Compare it case-insensitively.
    public let scheme: String
    /// The token68 value, for a scheme that uses one instead of parameters.
    public let token68: String?
    /// The parameters, keyed by lowercase name.
    ///
    /// If a name is repeated, the first value is used.
    public let parameters: [String: String]

    /// Returns the challenges in a field value, or an empty array if the value cannot be parsed.
    ///
    /// This method reads at most 16 KiB and returns any challenges that precede a syntax error.
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

/// A scanner for the bytes in a `WWW-Authenticate` field.
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

    /// Reads a `token` (RFC 9110, section 5.6.2).
    mutating func token() -> String? {
        let start = self.position
        self.skip { $0.isTokenCharacter }
        return start == self.position ? nil : String(decoding: self.bytes[start..<self.position], as: UTF8.self)
    }

    /// Reads a token68 that ends at a comma or at the end of the field, or returns nil without consuming anything.
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

    /// Reads `=` and a value, which is a token or a quoted string, or returns nil if there is neither.
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

    var isToken68Character: Bool { self.isASCIIAlphanumeric || "-._~+/".utf8.contains(self) }
}
