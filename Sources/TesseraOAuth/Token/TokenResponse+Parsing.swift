// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON

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
    public func answer(
        _ response: HTTPResponse,
        body: [UInt8],
        for client: RegisteredClient
    ) throws -> TokenResponse {
        try OAuthErrorResponse.check(response, body: body, endpoint: "token endpoint", sent: self.parameters)
        if self.requiresJSONContentType { try Self.checkContentType(response.headerFields[.contentType]) }
        let fields = try JSONFields(
            parsing: body,
            rule: .tokenResponseFormat,
            section: "RFC 6749, section 5.1",
            subject: "the token response"
        )
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
            throw ProtocolViolationError(
                .idTokenMissing,
                expected: "an id_token, since openid was asked for",
                section: "OpenID Connect Core 1.0, section 3.1.3.3"
            )
        }
        if let idToken = tokens.idToken { try self.checkSamePerson(idToken) }
        return tokens
    }

    /// OpenID Connect Core 1.0, section 3.3.3.6: `iss` and `sub` of both ID tokens MUST be identical.
    ///
    /// Only compared here; whether this one is genuine is found out when it is validated.
    private func checkSamePerson(_ idToken: Secret) throws(ProtocolViolationError) {
        guard let front = self.expectation.frontChannel else { return }
        let claims = try IDTokenClaims(unverified: idToken)
        guard claims.issuer.isExactly(front.issuer), claims.subject.isExactly(front.subject) else {
            throw ProtocolViolationError(
                .idTokenFrontChannel,
                expected: "iss and sub of the ID token that came beside the code",
                actual: "another",
                section: "OpenID Connect Core 1.0, section 3.3.3.6"
            )
        }
    }

    private static func checkContentType(_ contentType: String?) throws(ProtocolViolationError) {
        let type = contentType?.prefix { $0 != ";" }.trimmingSpaces().lowercased()
        guard type == "application/json" else {
            throw ProtocolViolationError(
                .tokenResponseFormat,
                expected: "content type application/json",
                actual: contentType ?? "none",
                section: "RFC 6749, section 5.1"
            )
        }
    }

    // Only what can stand in a header: RFC 6749, appendix A.12 (1*VSCHAR). A line break here would be an injection.
    private static func accessToken(_ fields: JSONFields) throws(ProtocolViolationError) -> Secret {
        let token = try fields.requiredString("access_token")
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ProtocolViolationError(
                .accessTokenForm,
                expected: "an access token of printable ASCII without spaces",
                actual: "other characters",
                section: "RFC 6749, appendix A.12"
            )
        }
        return Secret(token)
    }

    /// RFC 6749, section 7.1: a client MUST NOT use a token whose type it does not understand; nor, here, one of a type
    /// that it did not ask for.
    ///
    /// Compared without case.
    private func tokenType(
        _ fields: JSONFields,
        for client: RegisteredClient
    ) throws(ProtocolViolationError) -> TokenType {
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
                actual: text.utf8.count <= 20 ? text : "\(text.utf8.count) bytes",
                section: "RFC 6749, section 7.1; RFC 9449, section 5"
            )
        }
    }

    private static func authorizationDetails(_ fields: JSONFields) throws(ProtocolViolationError) -> [JSONValue]? {
        guard let value = fields.present("authorization_details") else { return nil }
        guard let details = value.elements, details.allSatisfy({ $0["type"]?.string?.isEmpty == false }) else {
            throw fields.wrong("authorization_details", "an array of objects with a type", value)
        }
        return Array(details)
    }

    /// RFC 8693, section 2.2.1: required of an exchange.
    private func issuedTokenType(_ fields: JSONFields) throws(ProtocolViolationError) -> TokenTypeIdentifier? {
        if let type = try fields.nonEmptyString("issued_token_type") { return TokenTypeIdentifier(rawValue: type) }
        guard self.expectation.isExchange else { return nil }
        throw ProtocolViolationError(
            .issuedTokenType,
            expected: "issued_token_type, since a token was exchanged",
            actual: "none",
            section: "RFC 8693, section 2.2.1"
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
