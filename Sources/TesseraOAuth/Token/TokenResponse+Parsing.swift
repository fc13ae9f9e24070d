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
    ///   - requiresJSONContentType: false accepts a body whose content type is not JSON, for servers that do not know
    ///     better.
    /// - Returns: the tokens; the ID token among them is not validated yet.
    /// - Throws: ``OAuthError`` where the server said no, ``HTTPStatusError`` for any other status but 200,
    ///   `ProtocolViolation` for a success that is none.
    public func response(
        _ response: HTTPResponse,
        body: [UInt8],
        requiresJSONContentType: Bool = true
    ) throws -> TokenResponse {
        guard response.status.code == 200 else {
            throw OAuthErrorResponse.error(response, body: body, endpoint: "token endpoint", sent: self.parameters)
        }
        if requiresJSONContentType { try Self.checkContentType(response.headerFields[.contentType]) }
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
            tokenType: try Self.tokenType(fields),
            expiresIn: try Self.seconds("expires_in", fields),
            refreshToken: try fields.nonEmptyString("refresh_token").map(Secret.init),
            refreshTokenExpiresIn: try Self.seconds("refresh_token_expires_in", fields),
            scope: try fields.string("scope").map(ScopeList.scopes),
            idToken: try fields.nonEmptyString("id_token").map(Secret.init),
            document: fields.object
        )
        // OpenID Connect Core 1.0, section 3.1.3.3.
        if self.expectation.idTokenRequired, tokens.idToken == nil {
            throw ProtocolViolation(
                .idTokenMissing,
                expected: "an id_token, since openid was asked for",
                section: "OpenID Connect Core 1.0, section 3.1.3.3"
            )
        }
        return tokens
    }

    private static func checkContentType(_ contentType: String?) throws(ProtocolViolation) {
        let type = contentType?.prefix { $0 != ";" }.trimmingSpaces().lowercased()
        guard type == "application/json" else {
            throw ProtocolViolation(
                .tokenResponseFormat,
                expected: "content type application/json",
                actual: contentType ?? "none",
                section: "RFC 6749, section 5.1"
            )
        }
    }

    // Only what can stand in a header: RFC 6749, appendix A.12 (1*VSCHAR). A line break here would be an injection.
    private static func accessToken(_ fields: JSONFields) throws(ProtocolViolation) -> Secret {
        let token = try fields.requiredString("access_token")
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ProtocolViolation(
                .accessTokenForm,
                expected: "an access token of printable ASCII without spaces",
                actual: "other characters",
                section: "RFC 6749, appendix A.12"
            )
        }
        return Secret(token)
    }

    /// RFC 6749, section 7.1: a client MUST NOT use a token whose type it does not understand.
    ///
    /// Compared without case.
    private static func tokenType(_ fields: JSONFields) throws(ProtocolViolation) -> TokenType {
        let type = try fields.requiredString("token_type")
        guard type.lowercased() == "bearer" else {
            throw ProtocolViolation(
                .tokenType,
                expected: "token_type Bearer",
                actual: type,
                section: "RFC 6749, section 7.1"
            )
        }
        return .bearer
    }

    /// A whole number of seconds from 0 to a hundred years; some servers send it as a string.
    private static func seconds(_ name: String, _ fields: JSONFields) throws(ProtocolViolation) -> Int64? {
        guard let value = fields.present(name) else { return nil }
        let seconds: Int64?
        if let string = value.string {
            seconds = string.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(string) : nil
        } else {
            seconds = try? value.integer(Int64.self)
        }
        guard let seconds, (0...3_155_760_000).contains(seconds) else {
            throw fields.wrongNumber(name, "a whole number of seconds", value)
        }
        return seconds
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
