// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import HTTPTypes
public import TesseraJOSE
public import TesseraJSON

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
        let fields = try JSONFields(parsing: body, rule: .userInfoFormat, subject: "the user information")
        return .plain(try UserInfoPolicy.claims(fields, of: subject))
    }
}

/// What a userinfo endpoint says: claims as they are, or in a token that the provider signed.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 5.3.2](https://openid.net/specs/openid-connect-core-1_0.html#UserInfoResponse)
public enum UserInfoResponse: Sendable {
    /// The claims, about the right person.
    case plain(JSONValue)
    /// A token, and what it has to fit: ``KeySetCache/validate(_:policy:)`` turns it into claims.
    case signed(Secret, UserInfoPolicy)
}

/// What a signed answer of a userinfo endpoint has to fit: the provider's signature, `iss`, `aud` and `sub`.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 5.3.2](https://openid.net/specs/openid-connect-core-1_0.html#UserInfoResponse)
public struct UserInfoPolicy: TokenPolicy {
    /// The provider.
    public var issuer: Issuer
    /// Other spellings of `iss` that the provider is known to use.
    public var issuerAliases: [String]
    /// This client: `aud`.
    public var clientID: String
    /// Whose claims are expected, nil where there was no ID token to compare with.
    public var subject: String?
    /// Algorithms that a signature may use.
    public var algorithms: [JWSAlgorithm]

    static let section = "OpenID Connect Core 1.0, section 5.3.2"

    /// A policy.
    public init(
        issuer: Issuer,
        issuerAliases: [String] = [],
        clientID: String,
        subject: String?,
        algorithms: [JWSAlgorithm] = [.rs256]
    ) {
        self.issuer = issuer
        self.issuerAliases = issuerAliases
        self.clientID = clientID
        self.subject = subject
        self.algorithms = algorithms
    }

    /// Validates a token and gives its claims.
    ///
    /// - Throws: as ``JWTPolicy/validate(_:keys:now:)``; `userInfoSubject`.
    public func validate(_ token: Secret, keys: JWKSet, now: Date) throws -> JSONValue {
        let common = JWTPolicy(
            name: "the user information",
            section: Self.section,
            algorithms: self.algorithms,
            issuer: self.issuer,
            issuerAliases: self.issuerAliases,
            audiences: [self.clientID]
        )
        let jwt = try common.validate(token, keys: keys, now: now)
        return try Self.claims(jwt.claims.fields, of: self.subject)
    }

    /// Section 5.3.2: the `sub` MUST be that of the ID token, exactly.
    static func claims(_ fields: JSONFields, of expected: String?) throws -> JSONValue {
        let subject = try fields.string("sub")
        guard let subject, !subject.isEmpty, expected?.isExactly(subject) ?? true else {
            throw ProtocolViolationError(
                .userInfoSubject,
                expected: "the sub of the ID token",
                actual: subject == nil ? "none" : "another"
            )
        }
        return fields.object
    }
}
