// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON

/// A request to register a client or to read or change its registration.
///
/// - SeeAlso: [RFC 7591, section 3](https://www.rfc-editor.org/rfc/rfc7591.html#section-3),
///   [RFC 7592, section 2](https://www.rfc-editor.org/rfc/rfc7592.html#section-2)
public struct RegistrationRequest: EndpointRequest {
    let method: HTTPRequest.Method
    let endpoint: Endpoint
    let metadata: ClientMetadata?
    let accessToken: Secret?
    let previous: ClientRegistration?
    /// The exchange kind for observers, ``OAuthExchange/registration``.
    public var exchange: OAuthExchange { .registration }
    /// Whether a secret without `client_secret_expires_at` is rejected.
    ///
    /// Defaults to true.
    ///
    /// RFC 7591 requires the member, but some servers omit it. If you set this to false, a secret without the member is
    /// assumed not to expire.
    public var requiresSecretExpiry = true

    /// Creates a request to register a client, with an initial access token if the server requires one.
    public static func register(
        _ metadata: ClientMetadata,
        at endpoint: Endpoint,
        initialAccessToken: Secret? = nil
    ) -> RegistrationRequest {
        Self(
            method: .post,
            endpoint: endpoint,
            metadata: metadata,
            accessToken: initialAccessToken,
            previous: nil
        )
    }

    /// Creates a request to read the current registration.
    ///
    /// - Throws: ``InvalidRequestError`` if the server does not allow clients to manage the registration.
    public static func read(_ registration: ClientRegistration) throws -> RegistrationRequest {
        let (endpoint, token) = try registration.management()
        return Self(method: .get, endpoint: endpoint, metadata: nil, accessToken: token, previous: registration)
    }

    /// Creates a request to replace a registration's metadata.
    ///
    /// Members that are missing from `metadata` are removed.
    ///
    /// Start with a copy of ``ClientRegistration/metadata`` and change it. If the response contains new secrets, they
    /// replace the existing ones.
    ///
    /// - Throws: ``InvalidRequestError`` if the server does not allow clients to manage the registration.
    public static func update(
        _ registration: ClientRegistration,
        to metadata: ClientMetadata
    ) throws -> RegistrationRequest {
        let (endpoint, token) = try registration.management()
        return Self(method: .put, endpoint: endpoint, metadata: metadata, accessToken: token, previous: registration)
    }

    /// Returns the message to send, which does not depend on `client`.
    ///
    /// - Throws: ``InvalidRequestError`` if the metadata contains a member that belongs to the registration itself.
    public func message(for client: RegisteredClient) throws -> OAuthMessage {
        var body: [UInt8]?
        if let metadata {
            if let name = metadata.members.map(\.name).first(where: ClientMetadata.registrationMembers.contains) {
                throw InvalidRequestError(name, reason: "the server sets this member")
            }
            // RFC 7592, section 2.2: client_id is required. Other members that belong to the registration itself are
            // not allowed.
            let own = self.previous.map { [JSONMember(name: "client_id", value: .string($0.clientID))] } ?? []
            body = JSONNode.object(own + metadata.members).serialized()
        }
        return .json(body, method: self.method, to: self.endpoint, accessToken: self.accessToken)
    }

    /// Decodes the response to a registration.
    ///
    /// The status for a new registration is 201, but 200 is also accepted because some servers send it.
    ///
    /// - Throws: ``OAuthError`` (such as `invalid_client_metadata` or `invalid_redirect_uri`) or ``HTTPStatusError`` if
    ///   the request failed, ``BearerChallengeError`` if the token was rejected, or `ProtocolViolationError` with
    ///   `registration` if the response is not valid.
    public func decode(
        _ response: HTTPResponse,
        body: [UInt8],
        for client: RegisteredClient
    ) throws -> ClientRegistration {
        guard response.status.code == 200 || (self.previous == nil && response.status.code == 201) else {
            throw Self.error(response, body: body, secrets: [self.accessToken, self.previous?.clientSecret])
        }
        let fields = try JSONFields(parsing: body, rule: .registration, subject: "the registration")
        return try ClientRegistration(
            fields,
            previous: self.previous,
            at: client.metadata,
            requiresSecretExpiry: self.requiresSecretExpiry
        )
    }

    static func error(_ response: HTTPResponse, body: [UInt8], secrets: [Secret?]) -> any Error {
        let error = ErrorResponseParser.error(
            response,
            body: body,
            endpoint: "registration endpoint",
            sent: FormParameters()
        )
        // The response can contain the client's secret even if the request did not, because the server knows it.
        return ExchangeSecrets(secrets)
            .removed(from: error is OAuthError ? error : BearerChallengeError(response) ?? error)
    }
}

extension ClientRegistration {
    func management() throws -> (Endpoint, Secret) {
        guard let registrationClientURI, let registrationAccessToken else {
            throw InvalidRequestError(
                "registration_client_uri",
                reason: "the server does not allow this registration to be managed"
            )
        }
        return (registrationClientURI, registrationAccessToken)
    }
}

extension OAuthMessage {
    /// Creates a request with an optional JSON body and an optional bearer token.
    static func json(
        _ body: [UInt8]?,
        method: HTTPRequest.Method,
        to url: Endpoint,
        accessToken: Secret?
    ) -> OAuthMessage {
        var fields: HTTPFields = [.accept: "application/json"]
        if body != nil { fields[.contentType] = "application/json" }
        if let accessToken {
            fields.append(accessToken.withUnredacted { .sensitive(.authorization, "Bearer " + $0) })
        }
        return OAuthMessage(request: url.request(method, fields: fields), body: body)
    }
}

/// A request to delete a registration along with the client, its grants and its tokens.
///
/// - SeeAlso: [RFC 7592, section 2.3](https://www.rfc-editor.org/rfc/rfc7592.html#section-2.3)
public struct RegistrationDeletion: EndpointRequest {
    let endpoint: Endpoint
    let accessToken: Secret
    let clientSecret: Secret?
    /// The exchange kind for observers, ``OAuthExchange/registration``.
    public var exchange: OAuthExchange { .registration }

    /// Creates a request to delete a registration.
    ///
    /// - Throws: ``InvalidRequestError`` if the server does not allow clients to manage the registration.
    public init(_ registration: ClientRegistration) throws {
        (self.endpoint, self.accessToken) = try registration.management()
        self.clientSecret = registration.clientSecret
    }

    /// Returns the message to send, which does not depend on `client`.
    public func message(for client: RegisteredClient) -> OAuthMessage {
        .json(nil, method: .delete, to: self.endpoint, accessToken: self.accessToken)
    }

    /// Checks the response.
    ///
    /// The status is 204, although some servers send 200.
    ///
    /// - Throws: ``OAuthError`` or ``HTTPStatusError`` if the request failed, or ``BearerChallengeError`` if the token
    ///   was rejected.
    public func decode(_ response: HTTPResponse, body: [UInt8], for client: RegisteredClient) throws {
        guard [200, 204].contains(response.status.code) else {
            throw RegistrationRequest.error(response, body: body, secrets: [self.accessToken, self.clientSecret])
        }
    }
}
