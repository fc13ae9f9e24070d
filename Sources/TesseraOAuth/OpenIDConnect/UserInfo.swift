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

/// A request for claims about the user, which sends the access token in a header field.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 5.3](https://openid.net/specs/openid-connect-core-1_0.html#UserInfo)
public struct UserInfoRequest: EndpointRequest {
    let accessToken: Secret
    let tokenType: TokenType
    let endpoint: Endpoint
    let subject: String?
    /// A proof for the access token if it is bound to a DPoP key, or no proof otherwise.
    public var dpopUse: DPoPUse { self.tokenType == .dpop ? .accessToken(self.accessToken) : .none }
    /// The exchange kind for observers, ``OAuthExchange/userInfo``.
    public var exchange: OAuthExchange { .userInfo }

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - accessToken: The access token.
    ///   - type: The type of the token.
    ///   - endpoint: The userinfo endpoint.
    ///   - subject: The ID token's `sub`, or nil if there is no ID token to compare with.
    public init(_ accessToken: Secret, type: TokenType = .bearer, at endpoint: Endpoint, subject: String?) {
        self.accessToken = accessToken
        self.tokenType = type
        self.endpoint = endpoint
        self.subject = subject
    }

    /// Returns the message to send.
    public func message(for client: RegisteredClient) -> OAuthMessage {
        let scheme = self.tokenType.rawValue
        var request = Self.request(at: self.endpoint)
        request.headerFields.append(self.accessToken.withUnredacted { .sensitive(.authorization, scheme + " " + $0) })
        return OAuthMessage(request: request, body: nil)
    }

    /// Returns the request without an access token.
    package static func request(at endpoint: Endpoint) -> HTTPRequest {
        // Whether a provider signs its response depends on the client's registration, not on this field.
        endpoint.request(.get, fields: [.accept: "application/json, application/jwt"])
    }

    /// Decodes the response as claims or as a signed token that you must verify.
    ///
    /// - Throws: ``BearerChallengeError`` if the token was rejected, ``HTTPStatusError`` for any other status except
    ///   200, or `ProtocolViolationError` with `userInfoSubject` if the response is about another user (section 5.3.2)
    ///   or `userInfoFormat` if it cannot be read.
    public func decode(
        _ response: HTTPResponse,
        body: [UInt8],
        for client: RegisteredClient
    ) throws -> UserInfoResponse {
        try Self.read(response, body: body, of: self.subject, for: client)
    }

    /// Decodes a response about the user identified by `subject` as claims or a signed token.
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
                algorithms: client.client.userInfoAlgorithms(client.metadata),
                decrypt: client.runtime.decrypt
            )
            return .signed(Secret(String(decoding: body, as: UTF8.self)), policy)
        }
        let fields = try JSONFields(parsing: body, rule: .userInfoFormat, subject: "the user information")
        return .plain(try UserInfoPolicy.claims(fields, of: subject))
    }
}

/// A response from the userinfo endpoint, which is either plain claims or a token that the provider signed.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 5.3.2](https://openid.net/specs/openid-connect-core-1_0.html#UserInfoResponse)
public enum UserInfoResponse: Sendable {
    /// The claims, which have been checked to be about the expected user.
    case plain(JSONValue)
    /// A token and its validation rules. To get the claims, pass both to ``KeySetCache/validate(_:policy:)``.
    case signed(Secret, UserInfoPolicy)
}

/// The rules for validating the signature, `iss`, `aud` and `sub` of a signed userinfo response.
///
/// - SeeAlso: [OpenID Connect Core 1.0, section 5.3.2](https://openid.net/specs/openid-connect-core-1_0.html#UserInfoResponse)
public struct UserInfoPolicy: TokenPolicy {
    /// The provider that signs the response.
    public var issuer: Issuer
    /// Other values of `iss` that the provider is known to use.
    public var issuerAliases: [String]
    /// The client ID of this app, which must be in `aud`.
    public var clientID: String
    /// The expected `sub`, or nil if there is no ID token to compare with.
    public var subject: String?
    /// The accepted signature algorithms.
    public var algorithms: [JWSAlgorithm]
    /// The function that decrypts encrypted responses, or nil (the default) to reject them.
    public var decrypt: JWTPolicy.Decryption?

    static let section = "OpenID Connect Core 1.0, section 5.3.2"

    /// Creates a policy.
    public init(
        issuer: Issuer,
        issuerAliases: [String] = [],
        clientID: String,
        subject: String?,
        algorithms: [JWSAlgorithm] = [.rs256],
        decrypt: JWTPolicy.Decryption? = nil
    ) {
        self.issuer = issuer
        self.issuerAliases = issuerAliases
        self.clientID = clientID
        self.subject = subject
        self.algorithms = algorithms
        self.decrypt = decrypt
    }

    /// Validates a token and returns its claims.
    ///
    /// - Throws: Any error that ``JWTPolicy/validate(_:keys:now:)`` throws, or `ProtocolViolationError` with
    ///   `userInfoSubject`.
    public func validate(_ token: Secret, keys: JWKSet, now: Date) throws -> JSONValue {
        let common = JWTPolicy(
            name: "the user information",
            section: Self.section,
            algorithms: self.algorithms,
            issuer: self.issuer,
            issuerAliases: self.issuerAliases,
            audiences: [self.clientID],
            decrypt: self.decrypt
        )
        let jwt = try common.validate(token, keys: keys, now: now)
        return try Self.claims(jwt.claims.fields, of: self.subject)
    }

    /// Returns the claims after checking that their `sub` exactly matches the ID token (section 5.3.2).
    static func claims(_ fields: JSONFields, of expected: String?) throws -> JSONValue {
        let subject = try fields.string("sub")
        guard let subject, !subject.isEmpty, expected?.isExactly(subject) ?? true else {
            throw ProtocolViolationError(
                .userInfoSubject,
                expected: "the ID token's sub",
                actual: subject == nil ? "none" : "another sub"
            )
        }
        return fields.object
    }
}
