// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraJOSE

/// Asks the provider about the person; the token goes in the header, never in the URL.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 5.3](https://openid.net/specs/openid-connect-core-1_0.html#UserInfo)
public struct UserInfoRequest: EndpointRequest {
    let accessToken: Secret
    let tokenType: TokenType
    let endpoint: Endpoint
    let subject: String?
    /// A bound token goes with a proof.
    public var dpopUse: DPoPUse { self.tokenType == .dpop ? .accessToken(self.accessToken) : .none }
    /// A question about the person.
    public var exchange: OAuthExchange { .userInfo }

    /// A request about the person of `subject`; nil where there was no ID token to compare with.
    public init(_ accessToken: Secret, type: TokenType = .bearer, at endpoint: Endpoint, subject: String?) {
        self.accessToken = accessToken
        self.tokenType = type
        self.endpoint = endpoint
        self.subject = subject
    }

    /// The request, ready to be sent.
    public func message(for client: RegisteredClient) -> OAuthMessage {
        let scheme = self.tokenType.rawValue
        var request = Self.request(at: self.endpoint)
        request.headerFields.append(self.accessToken.withUnredacted { .sensitive(.authorization, scheme + " " + $0) })
        return OAuthMessage(request: request, body: nil)
    }

    /// The request without a token.
    package static func request(at endpoint: Endpoint) -> HTTPRequest {
        // A provider signs its response if the client was registered so, and not because of this field.
        endpoint.request(.get, fields: [.accept: "application/json, application/jwt"])
    }

    /// Turns the answer into claims, or into a signed token that is yet to be verified.
    ///
    /// - Throws: ``BearerChallengeError`` where the token was refused, ``HTTPStatusError`` for another status but 200,
    ///   `userInfoSubject` when the answer is about another person (section 5.3.2), `userInfoFormat` when it cannot be
    ///   read.
    public func answer(
        _ response: HTTPResponse,
        body: [UInt8],
        for client: RegisteredClient
    ) throws -> UserInfoResponse {
        try Self.read(response, body: body, of: self.subject, for: client)
    }

    /// Turns a response about the user of `subject` into claims or a signed token.
    package static func read(
        _ response: HTTPResponse,
        body: [UInt8],
        of subject: String?,
        for client: RegisteredClient
    ) throws -> UserInfoResponse {
        guard response.status.code == 200 else {
            throw BearerChallengeError(response) as (any Error)?
                ?? HTTPStatusError(status: Int(response.status.code), endpoint: "userinfo endpoint")
        }
        if response.contentType == "application/jwt" {
            let policy = UserInfoPolicy(
                issuer: client.metadata.issuer,
                clientID: client.client.clientID,
                subject: subject,
                algorithms: client.client.idTokenAlgorithms(
                    supported: client.metadata.userinfoSigningAlgValuesSupported
                        ?? client.metadata.idTokenSigningAlgValuesSupported
                )
            )
            return .signed(Secret(String(decoding: body, as: UTF8.self)), policy)
        }
        let fields = try JSONFields(
            parsing: body,
            rule: .userInfoFormat,
            section: UserInfoPolicy.section,
            subject: "the user information"
        )
        return .plain(try UserInfoPolicy.claims(fields, of: subject))
    }
}
