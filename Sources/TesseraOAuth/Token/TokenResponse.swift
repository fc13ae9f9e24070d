// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import HTTPTypes
internal import TesseraJOSE
public import TesseraJSON

/// A response from the token endpoint, which has been checked except for the ID token.
///
/// - SeeAlso: [RFC 6749, section 5.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-5.1)
public struct TokenResponse: Sendable {
    /// The access token (`access_token`), which is printable ASCII and not empty.
    public let accessToken: Secret
    /// The type of the token (`token_type`), compared case-insensitively with the requested type.
    public let tokenType: TokenType
    /// The type of ``accessToken`` (`issued_token_type`), which is always present after a token exchange.
    public let issuedTokenType: TokenTypeIdentifier?
    /// The lifetime of the access token, in seconds (`expires_in`), or nil if it is unknown.
    public let expiresIn: Int64?
    /// The refresh token (`refresh_token`), or nil if an existing one remains valid.
    public let refreshToken: Secret?
    /// The lifetime of the refresh token, in seconds, if it expires (`refresh_token_expires_in`, sent by Google).
    public let refreshTokenExpiresIn: Int64?
    /// The granted scopes (`scope`), or nil if they are the same as the requested scopes.
    public let scope: [Scope]?
    /// The ID token (`id_token`), which has not been validated yet.
    public let idToken: Secret?
    /// The granted authorization details (`authorization_details`), which are objects with a `type`, or nil if the
    /// response does not contain any.
    ///
    /// - SeeAlso: [RFC 9396, section 7](https://www.rfc-editor.org/rfc/rfc9396.html#section-7)
    public let authorizationDetails: [JSONValue]?
    /// The time when the server sent the response (`Date` field), if known.
    public let serverDate: Date?
    /// The whole response, including members that have no property.
    ///
    /// The document contains the tokens, which are omitted from descriptions.
    public let document: JSONValue
}

extension TokenRequest {
    /// Decodes the token endpoint's response.
    ///
    /// - Parameters:
    ///   - response: The response head.
    ///   - body: The response body.
    ///   - client: The client that sent the request.
    /// - Returns: The tokens. Any ID token has not been validated yet.
    /// - Throws: ``OAuthError`` if the server returned an error, ``HTTPStatusError`` for any other status except 200,
    ///   or `ProtocolViolationError` if a successful response is not valid.
    public func decode(_ response: HTTPResponse, body: [UInt8], for client: RegisteredClient) throws -> TokenResponse {
        try ErrorResponseParser.check(response, body: body, endpoint: "token endpoint", sent: self.parameters)
        if self.requiresJSONContentType, response.contentType != "application/json" {
            throw ProtocolViolationError(
                .tokenResponseFormat,
                expected: "content type application/json",
                actual: response.headerFields[.contentType] ?? "none"
            )
        }
        let fields = try JSONFields(parsing: body, rule: .tokenResponseFormat, subject: "the token response")
        guard fields.object["error"] == nil else {
            throw fields.violation("a token response without an error", "an error with status 200")
        }
        let tokens = TokenResponse(
            accessToken: try Self.accessToken(fields),
            tokenType: try self.tokenType(fields, for: client),
            issuedTokenType: try self.issuedTokenType(fields),
            expiresIn: try fields.seconds("expires_in"),
            refreshToken: try fields.nonEmptyString("refresh_token").map(Secret.init),
            refreshTokenExpiresIn: try fields.seconds("refresh_token_expires_in"),
            scope: try fields.scopes("scope"),
            idToken: try fields.nonEmptyString("id_token").map(Secret.init),
            authorizationDetails: try Self.authorizationDetails(fields),
            serverDate: response.serverDate,
            document: fields.object
        )
        // OpenID Connect Core 1.0, section 3.1.3.3.
        if self.expectation.idTokenRequired, tokens.idToken == nil {
            throw ProtocolViolationError(.idTokenMissing, expected: "an id_token, because openid was requested")
        }
        if let idToken = tokens.idToken { try self.checkSameUser(idToken, for: client) }
        return tokens
    }

    /// Checks that `iss` and `sub` are identical in both ID tokens (OpenID Connect Core 1.0, section 3.3.3.6).
    ///
    /// This only compares the values. The new ID token is validated later.
    private func checkSameUser(_ idToken: Secret, for client: RegisteredClient) throws {
        guard let front = self.expectation.frontChannel else { return }
        let policy = JWTPolicy(
            name: IDTokenPolicy.tokenName,
            section: IDTokenPolicy.section,
            issuer: client.metadata.issuer,
            audiences: [],
            decrypt: client.runtime.decrypt
        )
        let claims = try IDTokenClaims(unverified: try policy.signed(idToken).token)
        guard claims.issuer.isExactly(front.issuer), claims.subject.isExactly(front.subject) else {
            throw ProtocolViolationError(
                .idTokenFrontChannel,
                expected: "the iss and sub of the ID token that arrived with the code",
                actual: "a different issuer or user"
            )
        }
    }

    // RFC 6749, appendix A.12 (1*VSCHAR). A line break would allow header injection.
    private static func accessToken(_ fields: JSONFields) throws -> Secret {
        let token = try fields.requiredString("access_token")
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ProtocolViolationError(
                .accessTokenForm,
                expected: "an access token that contains only printable ASCII without spaces",
                actual: "other characters"
            )
        }
        return Secret(token)
    }

    /// Returns the token type, which must match the requested type (ignoring case).
    ///
    /// A client must not use a token if it does not support its type (RFC 6749, section 7.1).
    private func tokenType(_ fields: JSONFields, for client: RegisteredClient) throws -> TokenType {
        let text = try fields.requiredString("token_type")
        let requested: TokenType = client.dpop == nil ? .bearer : .dpop
        switch TokenType.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) {
        case requested: return requested
        case .notApplicable where self.expectation.isExchange: return .notApplicable
        // RFC 9449, section 5: A bearer token does not have the requested protection.
        case .bearer where client.insecure.contains(.bearerInsteadOfDPoP): return .bearer
        default:
            throw ProtocolViolationError(
                .tokenType,
                expected: "token_type \(requested.rawValue)",
                // A longer text is not the name of a type and could be the token itself.
                actual: text.utf8.count <= 20 ? text : "\(text.utf8.count) bytes"
            )
        }
    }

    private static func authorizationDetails(_ fields: JSONFields) throws -> [JSONValue]? {
        guard let value = fields.present("authorization_details") else { return nil }
        guard let details = value.elements, details.allSatisfy({ $0["type"]?.string?.isEmpty == false }) else {
            throw fields.wrong("authorization_details", "an array of objects with a type", value)
        }
        return Array(details)
    }

    /// Returns the type of the issued token, which a token exchange requires (RFC 8693, section 2.2.1).
    private func issuedTokenType(_ fields: JSONFields) throws -> TokenTypeIdentifier? {
        if let type = try fields.nonEmptyString("issued_token_type") { return TokenTypeIdentifier(rawValue: type) }
        guard self.expectation.isExchange else { return nil }
        throw ProtocolViolationError(
            .issuedTokenType,
            expected: "issued_token_type in the response to a token exchange",
            actual: "none"
        )
    }
}

extension StringProtocol {
    func trimmingSpaces() -> SubSequence {
        var text = self[...]
        while let first = text.first, first == " " || first == "\t" { text = text.dropFirst() }
        while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
        return text
    }
}

/// The token type, which determines how an access token is sent.
///
/// - SeeAlso: [RFC 6749, section 7.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-7.1)
public enum TokenType: String, Sendable, Hashable, CaseIterable {
    /// A bearer token, sent in the `Authorization` field without a proof (RFC 6750).
    case bearer = "Bearer"
    /// A token from a token exchange that is not an access token (RFC 8693, section 2.2.1).
    case notApplicable = "N_A"
    /// A token sent in the `Authorization` field along with a proof for the key that it is bound to (RFC 9449).
    case dpop = "DPoP"
}

/// A URI that identifies the type of a token and can be custom.
///
/// - SeeAlso: [RFC 8693, section 3](https://www.rfc-editor.org/rfc/rfc8693.html#section-3)
public struct TokenTypeIdentifier: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The URI that identifies the type.
    public let rawValue: String
    /// Creates a type from its URI.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The URI, with control characters escaped.
    public var description: String { UntrustedText.printable(self.rawValue) }

    /// An OAuth access token in any format.
    public static let accessToken = Self(rawValue: "urn:ietf:params:oauth:token-type:access_token")
    /// An OAuth refresh token.
    public static let refreshToken = Self(rawValue: "urn:ietf:params:oauth:token-type:refresh_token")
    /// An OpenID Connect ID token.
    public static let idToken = Self(rawValue: "urn:ietf:params:oauth:token-type:id_token")
    /// A SAML 1.1 assertion in base64url.
    public static let saml1 = Self(rawValue: "urn:ietf:params:oauth:token-type:saml1")
    /// A SAML 2.0 assertion in base64url.
    public static let saml2 = Self(rawValue: "urn:ietf:params:oauth:token-type:saml2")
    /// A JSON Web Token (JWT).
    public static let jwt = Self(rawValue: "urn:ietf:params:oauth:token-type:jwt")
}
