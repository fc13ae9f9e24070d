// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraJOSE
public import TesseraJSON

/// Asks the provider about the person; the token goes in the header, never in the URL.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 5.3](https://openid.net/specs/openid-connect-core-1_0.html#UserInfo)
public struct UserInfoRequest: Sendable {
    let endpoint: Endpoint
    let subject: String?

    /// A request about the person of `subject`; nil where there was no ID token to compare with.
    public init(at endpoint: Endpoint, subject: String?) {
        self.endpoint = endpoint
        self.subject = subject
    }

    /// The request, ready to be sent.
    public func message(accessToken: Secret) -> OAuthMessage {
        let authorization = accessToken.withUnredacted { HTTPField.sensitive(.authorization, "Bearer " + $0) }
        var fields: HTTPFields = [.accept: "application/json"]
        fields.append(authorization)
        return OAuthMessage(request: self.endpoint.request(.get, fields: fields), body: nil)
    }

    /// Turns the answer into claims.
    ///
    /// - Throws: ``BearerChallenge`` where the token was refused, ``HTTPStatusError`` for another status but 200,
    ///   `userInfoSubject` when the answer is about another person (section 5.3.2), `userInfoFormat` when it cannot be
    ///   read. A signed answer is refused: this request asks for plain JSON.
    public func claims(_ response: HTTPResponse, body: [UInt8]) throws -> JSONValue {
        guard response.status.code == 200 else {
            throw BearerChallenge(response) as (any Error)?
                ?? HTTPStatusError(status: Int(response.status.code), endpoint: "userinfo endpoint")
        }
        if response.headerFields[.contentType]?.lowercased().hasPrefix("application/jwt") == true {
            throw ProtocolViolation(
                .userInfoFormat,
                expected: "plain JSON",
                actual: "a signed answer that was not asked for",
                section: "OpenID Connect Core 1.0, section 5.3.2"
            )
        }
        let fields = try JSONFields(
            parsing: body,
            rule: .userInfoFormat,
            section: "OpenID Connect Core 1.0, section 5.3.2",
            subject: "the user information"
        )
        let subject = try fields.string("sub")
        guard let subject, !subject.isEmpty, self.subject?.isExactly(subject) ?? true else {
            throw ProtocolViolation(
                .userInfoSubject,
                expected: "the sub of the ID token",
                actual: subject == nil ? "none" : "another",
                section: "OpenID Connect Core 1.0, section 5.3.2"
            )
        }
        return fields.object
    }
}
