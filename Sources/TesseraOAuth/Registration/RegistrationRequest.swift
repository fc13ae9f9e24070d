// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON

/// Registers a client, or reads or changes a registration.
///
/// - SeeAlso: [RFC 7591, section 3](https://www.rfc-editor.org/rfc/rfc7591.html#section-3),
///   [RFC 7592, section 2](https://www.rfc-editor.org/rfc/rfc7592.html#section-2)
public struct RegistrationRequest: EndpointRequest {
    let method: HTTPRequest.Method
    let endpoint: Endpoint
    let metadata: ClientMetadata?
    let accessToken: Secret?
    let previous: ClientRegistration?
    /// A registration is made, read or changed.
    public var exchange: OAuthExchange { .registration }
    /// Whether a secret without `client_secret_expires_at` is refused, true at first; RFC 7591 demands the member, and
    /// some servers leave it out.
    ///
    /// Where it is not demanded and not there, the secret counts as one that does not end.
    public var requiresSecretExpiry = true

    /// Registers a client; some servers want an access token that was given out beforehand.
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

    /// Asks for a registration as it is now.
    ///
    /// - Throws: ``InvalidRequestError`` for one that the server does not let be managed.
    public static func read(_ registration: ClientRegistration) throws -> RegistrationRequest {
        let (endpoint, token) = try registration.management()
        return Self(method: .get, endpoint: endpoint, metadata: nil, accessToken: token, previous: registration)
    }

    /// Replaces the metadata of a registration by `metadata`: what is left out of it is taken away.
    ///
    /// Change a copy of ``ClientRegistration/metadata``. Secrets that the answer brings replace those in hand.
    ///
    /// - Throws: ``InvalidRequestError`` for one that the server does not let be managed.
    public static func update(
        _ registration: ClientRegistration,
        to metadata: ClientMetadata
    ) throws -> RegistrationRequest {
        let (endpoint, token) = try registration.management()
        return Self(method: .put, endpoint: endpoint, metadata: metadata, accessToken: token, previous: registration)
    }

    /// The request, ready to be sent; nothing of `client` is in it.
    ///
    /// - Throws: ``InvalidRequestError`` for metadata with a member that belongs to the registration.
    public func message(for client: RegisteredClient) throws -> OAuthMessage {
        var body: [UInt8]?
        if let metadata {
            if let name = metadata.members.map(\.name).first(where: ClientMetadata.registrationMembers.contains) {
                throw InvalidRequestError(name, reason: "this member is the server's own")
            }
            // RFC 7592, section 2.2: client_id MUST be there; the members of the registration itself MUST NOT.
            let own = self.previous.map { [JSONMember(name: "client_id", value: .string($0.clientID))] } ?? []
            body = JSONNode.object(own + metadata.members).serialized()
        }
        return .json(body, method: self.method, to: self.endpoint, accessToken: self.accessToken)
    }

    /// Turns the answer into a registration.
    ///
    /// A new one comes with 201; some servers say 200.
    ///
    /// - Throws: ``OAuthError`` (`invalid_client_metadata`, `invalid_redirect_uri`, …), ``BearerChallengeError`` where the
    ///   token was refused, ``HTTPStatusError``; `registration` for an answer that breaks the protocol.
    public func answer(
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
        let error = OAuthErrorResponse.error(
            response,
            body: body,
            endpoint: "registration endpoint",
            sent: FormParameters()
        )
        // The server knows the client's secret also where it is not sent.
        return CarriedSecrets(secrets)
            .removed(from: error is OAuthError ? error : BearerChallengeError(response) ?? error)
    }
}

extension ClientRegistration {
    func management() throws -> (Endpoint, Secret) {
        guard let registrationClientURI, let registrationAccessToken else {
            throw InvalidRequestError(
                "registration_client_uri",
                reason: "the server does not let this registration be managed"
            )
        }
        return (registrationClientURI, registrationAccessToken)
    }
}

extension OAuthMessage {
    /// A request with a JSON body, or none, and a bearer token, or none.
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

/// Takes a registration away; the client, its grants and its tokens end with it.
///
/// - SeeAlso: [RFC 7592, section 2.3](https://www.rfc-editor.org/rfc/rfc7592.html#section-2.3)
public struct RegistrationDeletion: EndpointRequest {
    let endpoint: Endpoint
    let accessToken: Secret
    let clientSecret: Secret?
    /// A registration ends.
    public var exchange: OAuthExchange { .registration }

    /// The deletion of a registration.
    ///
    /// - Throws: ``InvalidRequestError`` for one that the server does not let be managed.
    public init(_ registration: ClientRegistration) throws {
        (self.endpoint, self.accessToken) = try registration.management()
        self.clientSecret = registration.clientSecret
    }

    /// The request, ready to be sent; nothing of `client` is in it.
    public func message(for client: RegisteredClient) -> OAuthMessage {
        .json(nil, method: .delete, to: self.endpoint, accessToken: self.accessToken)
    }

    /// Checks the answer: 204 is a success, and 200, which some servers say.
    ///
    /// - Throws: ``OAuthError``, ``BearerChallengeError`` where the token was refused, ``HTTPStatusError``.
    public func answer(_ response: HTTPResponse, body: [UInt8], for client: RegisteredClient) throws {
        guard [200, 204].contains(response.status.code) else {
            throw RegistrationRequest.error(response, body: body, secrets: [self.accessToken, self.clientSecret])
        }
    }
}
