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

/// Tokens, as the token endpoint gave them and as checked as they can be without keys.
///
/// - SeeAlso: [RFC 6749, section 5.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-5.1)
public struct TokenResponse: Sendable {
    /// `access_token`: printable ASCII, not empty.
    public let accessToken: Secret
    /// `token_type`, whatever its case was: the one that was asked for.
    public let tokenType: TokenType
    /// `issued_token_type`: what kind of token ``accessToken`` is; always there after a token exchange.
    public let issuedTokenType: TokenTypeIdentifier?
    /// `expires_in` in seconds, nil where the provider does not say: unknown, not «for ever».
    public let expiresIn: Int64?
    /// `refresh_token`; nil means that the one in use stays.
    public let refreshToken: Secret?
    /// `refresh_token_expires_in` in seconds (Google), where the grant ends by time.
    public let refreshTokenExpiresIn: Int64?
    /// `scope`; nil means: as asked for.
    public let scope: [Scope]?
    /// `id_token`, not validated yet.
    public let idToken: Secret?
    /// `authorization_details`: what was granted in detail, objects that each have a `type`; nil where it is not said.
    ///
    /// - SeeAlso: [RFC 9396, section 7](https://www.rfc-editor.org/rfc/rfc9396.html#section-7)
    public let authorizationDetails: [JSONValue]?
    /// The server's clock when it answered, where it said so (`Date`).
    public let serverDate: Date?
    /// The whole answer, for members that have no property.
    ///
    /// It holds the tokens too, and shows them to nobody but its reader: its descriptions tell the shape only.
    public let document: JSONValue
}

extension TokenRequest {
    /// Turns the endpoint's answer into tokens.
    ///
    /// - Parameters:
    ///   - response: the answer's head.
    ///   - body: its whole body.
    ///   - client: who asked.
    /// - Returns: the tokens; the ID token among them is not validated yet.
    /// - Throws: ``OAuthError`` where the server said no, ``HTTPStatusError`` for any other status but 200,
    ///   `ProtocolViolationError` for a success that is none.
    public func answer(_ response: HTTPResponse, body: [UInt8], for client: RegisteredClient) throws -> TokenResponse {
        try OAuthErrorResponse.check(response, body: body, endpoint: "token endpoint", sent: self.parameters)
        if self.requiresJSONContentType, response.contentType != "application/json" {
            throw ProtocolViolationError(
                .tokenResponseFormat,
                expected: "content type application/json",
                actual: response.headerFields[.contentType] ?? "none"
            )
        }
        let fields = try JSONFields(parsing: body, rule: .tokenResponseFormat, subject: "the token response")
        guard fields.object["error"] == nil else {
            throw fields.violation("a token response without error", "error beside status 200")
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
            throw ProtocolViolationError(.idTokenMissing, expected: "an id_token, since openid was asked for")
        }
        if let idToken = tokens.idToken { try self.checkSamePerson(idToken) }
        return tokens
    }

    /// OpenID Connect Core 1.0, section 3.3.3.6: `iss` and `sub` of both ID tokens MUST be identical.
    ///
    /// Only compared here; whether this one is genuine is found out when it is validated.
    private func checkSamePerson(_ idToken: Secret) throws {
        guard let front = self.expectation.frontChannel else { return }
        let claims = try IDTokenClaims(unverified: idToken)
        guard claims.issuer.isExactly(front.issuer), claims.subject.isExactly(front.subject) else {
            throw ProtocolViolationError(
                .idTokenFrontChannel,
                expected: "iss and sub of the ID token that came beside the code",
                actual: "another"
            )
        }
    }

    // Only what can stand in a header: RFC 6749, appendix A.12 (1*VSCHAR). A line break here would be an injection.
    private static func accessToken(_ fields: JSONFields) throws -> Secret {
        let token = try fields.requiredString("access_token")
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ProtocolViolationError(
                .accessTokenForm,
                expected: "an access token of printable ASCII without spaces",
                actual: "other characters"
            )
        }
        return Secret(token)
    }

    /// RFC 6749, section 7.1: a client MUST NOT use a token whose type it does not understand; nor, here, one of a type
    /// that it did not ask for.
    ///
    /// Compared without case.
    private func tokenType(_ fields: JSONFields, for client: RegisteredClient) throws -> TokenType {
        let text = try fields.requiredString("token_type")
        let asked: TokenType = client.dpop == nil ? .bearer : .dpop
        switch TokenType.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) {
        case asked: return asked
        case .notApplicable where self.expectation.isExchange: return .notApplicable
        // RFC 9449, section 5: a Bearer token has not the protection that was asked for.
        case .bearer where client.insecure.contains(.bearerInsteadOfDPoP): return .bearer
        default:
            throw ProtocolViolationError(
                .tokenType,
                expected: "token_type \(asked.rawValue)",
                // A longer one is no name of a type, and may be the token itself.
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

    /// RFC 8693, section 2.2.1: required of an exchange.
    private func issuedTokenType(_ fields: JSONFields) throws -> TokenTypeIdentifier? {
        if let type = try fields.nonEmptyString("issued_token_type") { return TokenTypeIdentifier(rawValue: type) }
        guard self.expectation.isExchange else { return nil }
        throw ProtocolViolationError(
            .issuedTokenType,
            expected: "issued_token_type, since a token was exchanged",
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

/// How an access token is presented.
///
/// - SeeAlso: [RFC 6749, section 7.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-7.1)
public enum TokenType: String, Sendable, Hashable, CaseIterable {
    /// In the `Authorization` header, by whoever has it (RFC 6750).
    case bearer = "Bearer"
    /// Not at all: what a token exchange issued is no access token (RFC 8693, section 2.2.1).
    case notApplicable = "N_A"
    /// In the `Authorization` header, with a proof that the sender has the key it is bound to (RFC 9449).
    case dpop = "DPoP"
}

/// What kind of token something is, as a URI; open, since anybody may define one.
///
/// - SeeAlso: [RFC 8693, section 3](https://www.rfc-editor.org/rfc/rfc8693.html#section-3)
public struct TokenTypeIdentifier: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The URI.
    public let rawValue: String
    /// A kind of token.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The URI, fit for a message.
    public var description: String { UntrustedText.printable(self.rawValue) }

    /// An OAuth access token, whatever its form.
    public static let accessToken = Self(rawValue: "urn:ietf:params:oauth:token-type:access_token")
    /// An OAuth refresh token.
    public static let refreshToken = Self(rawValue: "urn:ietf:params:oauth:token-type:refresh_token")
    /// An ID token of OpenID Connect.
    public static let idToken = Self(rawValue: "urn:ietf:params:oauth:token-type:id_token")
    /// A SAML 1.1 assertion in base64url.
    public static let saml1 = Self(rawValue: "urn:ietf:params:oauth:token-type:saml1")
    /// A SAML 2.0 assertion in base64url.
    public static let saml2 = Self(rawValue: "urn:ietf:params:oauth:token-type:saml2")
    /// A JWT.
    public static let jwt = Self(rawValue: "urn:ietf:params:oauth:token-type:jwt")
}
