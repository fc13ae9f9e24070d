// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraJOSE

/// The access token in the `Authorization` field of a call to a resource server.
///
/// - SeeAlso: [RFC 6750, section 2.1](https://www.rfc-editor.org/rfc/rfc6750.html#section-2.1),
///   [RFC 9449, section 7.1](https://www.rfc-editor.org/rfc/rfc9449.html#section-7.1)
public struct PresentedAccessToken: Sendable {
    /// The type that the token is presented as, either bearer or DPoP.
    public let type: TokenType
    /// The token, which has not been validated yet.
    public let token: Secret

    /// Reads the token from a call.
    ///
    /// - Throws: ``AccessTokenError`` without a code if the call has no token, or with `invalid_request` if the field
    ///   is malformed or repeated.
    public init(_ request: HTTPRequest) throws(AccessTokenError) {
        let fields = request.headerFields[values: .authorization]
        guard let field = fields.first else { throw AccessTokenError.noToken }
        guard fields.count == 1 else {
            throw AccessTokenError.invalidRequest("The request has more than one Authorization field.")
        }
        let parts = field.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        switch parts[0].lowercased() {
        case "bearer": self.type = .bearer
        case "dpop": self.type = .dpop
        default: throw AccessTokenError.noToken
        }
        guard parts.count == 2, Self.isToken(parts[1].trimmingSpaces()) else {
            throw AccessTokenError.invalidRequest("The Authorization field does not contain a token.")
        }
        self.token = Secret(String(parts[1].trimmingSpaces()))
    }

    // b64token = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="
    private static func isToken(_ text: Substring) -> Bool {
        let bytes = Array(text.utf8)
        let end = bytes.lastIndex { $0 != 0x3D } ?? -1
        return end >= 0 && bytes[...end].allSatisfy(\.isToken68Character)
    }
}

/// The reason why a resource server rejects a call, for use in its response.
///
/// - SeeAlso: [RFC 6750, section 3](https://www.rfc-editor.org/rfc/rfc6750.html#section-3)
public struct AccessTokenError: ErrorGuidance, Sendable, Hashable {
    /// The HTTP status of the response: 400, 401 or 403.
    public let status: Int
    /// The error code (`error`), or nil if the call had no token, in which case the response must not reveal anything
    /// else.
    public let error: String?
    /// A description for the client's developer (`error_description`).
    public let serverDescription: String?
    /// The scopes that the call requires (`scope`).
    public let scopes: [Scope]

    /// The call does not contain a token.
    public static let noToken = Self(status: 401, error: nil, serverDescription: nil, scopes: [])

    /// Returns an error for a malformed call.
    public static func invalidRequest(_ words: String) -> Self {
        Self(status: 400, error: "invalid_request", serverDescription: words, scopes: [])
    }

    /// Returns an error for a token that is not valid.
    public static func invalidToken(_ words: String) -> Self {
        Self(status: 401, error: "invalid_token", serverDescription: words, scopes: [])
    }

    /// Returns an error for a valid token that lacks required scopes.
    public static func insufficientScope(_ scopes: [Scope]) -> Self {
        Self(
            status: 403,
            error: "insufficient_scope",
            serverDescription: "The token does not have the required scopes.",
            scopes: scopes
        )
    }

    /// Throws an error unless a token has all of the required scopes.
    static func require(_ scopes: [Scope], of granted: [Scope]) throws(AccessTokenError) {
        guard scopes.allSatisfy(granted.contains) else { throw Self.insufficientScope(scopes) }
    }

    /// Creates an error for a token that violates a rule, or returns nil if the issuer's key set is not valid.
    ///
    /// The error contains the rule but no part of the token. If the key set is not valid, the caller's token may be, so
    /// respond with 503 or 500.
    public init?(_ violation: ProtocolViolationError) {
        guard violation.rule != .jwkSetFormat, violation.rule != .jwkFormat else { return nil }
        self = .invalidToken("The token violates the rule \(violation.rule).")
    }

    private init(status: Int, error: String?, serverDescription: String?, scopes: [Scope]) {
        self.status = status
        self.error = error
        self.serverDescription = serverDescription
        self.scopes = scopes
    }

    /// Returns the value of the response's `WWW-Authenticate` field.
    ///
    /// - Parameters:
    ///   - scheme: `Bearer`, or `DPoP` if a proof is missing or invalid.
    ///   - realm: The protected area of the server.
    ///   - resourceMetadata: The URL of the resource's metadata (RFC 9728, section 5.1).
    /// - Returns: A challenge with quoted values.
    public func challenge(
        scheme: String = "Bearer",
        realm: String? = nil,
        resourceMetadata: Endpoint? = nil
    ) -> String {
        let parameters = [
            ("realm", realm), ("error", self.error), ("error_description", self.serverDescription),
            ("scope", self.scopes.isEmpty ? nil : self.scopes.map(\.rawValue).joined(separator: " ")),
            ("resource_metadata", resourceMetadata?.url),
        ]
        let texts = parameters.compactMap { name, value in value.map { "\(name)=\"\(Self.quoted($0))\"" } }
        return texts.isEmpty ? scheme : scheme + " " + texts.joined(separator: ", ")
    }

    /// Returns the content of a quoted string, with `?` for each byte that RFC 6750, section 3, does not allow.
    private static func quoted(_ text: String) -> String {
        String(
            decoding: text.utf8.map { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C ? $0 : 0x3F },
            as: UTF8.self
        )
    }

    /// An instruction for the client's developer.
    public var recoverySuggestion: String? { "Send the value of challenge() in the response's WWW-Authenticate field." }
    /// A one-line description that contains the status and the reason.
    public var description: String {
        let reason = self.serverDescription.map { ": " + $0 } ?? ""
        return "The call was rejected with HTTP \(self.status) (\(self.error ?? "no token"))\(reason)"
    }
}
