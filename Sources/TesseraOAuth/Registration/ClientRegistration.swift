// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import TesseraJOSE
public import TesseraJSON

/// A client's registration with a server.
///
/// Store the whole ``document``. You cannot manage the registration without its ``registrationAccessToken``.
///
/// - SeeAlso: [RFC 7591, section 3.2.1](https://www.rfc-editor.org/rfc/rfc7591.html#section-3.2.1)
public struct ClientRegistration: Sendable {
    /// The client ID (`client_id`).
    public let clientID: String
    /// The client secret (`client_secret`), or nil if the client does not have one.
    public let clientSecret: Secret?
    /// The expiration time of the secret (`client_secret_expires_at`), or nil if there is no secret or it does not
    /// expire.
    public let clientSecretExpiresAt: Date?
    /// The time when the client ID was issued (`client_id_issued_at`).
    public let clientIDIssuedAt: Date?
    /// The token for reading, changing and deleting the registration (`registration_access_token`), if it can be
    /// managed.
    public let registrationAccessToken: Secret?
    /// The URL where the registration is managed (`registration_client_uri`).
    public let registrationClientURI: Endpoint?
    /// The registered metadata, which can differ from the requested metadata.
    public let metadata: ClientMetadata
    /// The whole response, including secrets, which are omitted from descriptions.
    ///
    /// If the registration was read or changed, the document also has the credentials that the response omits.
    public let document: JSONValue

    /// Creates a registration from a response.
    ///
    /// - Parameters:
    ///   - fields: The response.
    ///   - previous: The registration that was read or changed. Its values are used for members that the response
    ///     omits.
    ///   - server: The server's metadata.
    ///   - requiresSecretExpiry: Whether a secret without `client_secret_expires_at` is rejected.
    /// - Throws: `ProtocolViolationError` with `registration` if the response is not valid, or `endpoint` if the
    ///   management URL is not an https URL.
    init(
        _ fields: JSONFields,
        previous: ClientRegistration?,
        at server: ServerMetadata,
        requiresSecretExpiry: Bool = true
    ) throws {
        let clientID = try fields.requiredString("client_id")
        if let previous, !previous.clientID.isExactly(clientID) {
            throw fields.violation("the client_id of the existing registration", "another client_id")
        }
        self.clientID = clientID
        let secret = try fields.nonEmptyString("client_secret").map(Secret.init)
        let expiresAt = try fields.time("client_secret_expires_at")
        // RFC 7591, section 3.2.1: The member is required if there is a secret. 0 means that the secret does not
        // expire.
        if requiresSecretExpiry, secret != nil, expiresAt == nil {
            throw fields.violation("client_secret_expires_at with the secret", "none")
        }
        self.clientSecret = secret ?? previous?.clientSecret
        self.clientSecretExpiresAt =
            secret == nil
            ? previous?.clientSecretExpiresAt
            : expiresAt.flatMap { $0 == 0 ? nil : Date(timeIntervalSince1970: $0) }
        self.clientIDIssuedAt =
            try fields.time("client_id_issued_at").map { Date(timeIntervalSince1970: $0) } ?? previous?.clientIDIssuedAt
        let token = try fields.nonEmptyString("registration_access_token").map(Secret.init)
        let uri = try fields.nonEmptyString("registration_client_uri")
        // RFC 7591, section 3.2.1, and RFC 7592, section 3: The response must contain both or neither.
        guard (token == nil) == (uri == nil) else {
            throw fields.violation("registration_access_token and registration_client_uri together", "only one of them")
        }
        self.registrationAccessToken = token ?? previous?.registrationAccessToken
        self.registrationClientURI =
            try uri.map { try Self.endpoint($0, of: server) }
            ?? previous?.registrationClientURI
        self.metadata = try ClientMetadata(fields)
        self.document = try Self.document(fields.object, retaining: previous?.document)
    }

    /// Returns a response with the credentials of the earlier document that it omits (RFC 7592, section 3).
    private static func document(_ response: JSONValue, retaining earlier: JSONValue?) throws -> JSONValue {
        var names: Set<String> = []
        if response["client_secret"]?.string == nil { names = ["client_secret", "client_secret_expires_at"] }
        if response["registration_access_token"]?.string == nil {
            names.formUnion(["registration_access_token", "registration_client_uri"])
        }
        let retained = earlier?.members?.filter { names.contains($0.name) } ?? []
        guard !retained.isEmpty else { return response }
        let own = response.members?.filter { member in !retained.contains { $0.name == member.name } } ?? []
        let members = (own + retained).map { JSONMember(name: $0.name, value: .parsed($0.value)) }
        return try JSONValue(parsing: JSONNode.object(members).serialized())
    }

    /// Creates a registration from its stored ``document``.
    ///
    /// - Parameters:
    ///   - document: The JSON text.
    ///   - server: The metadata of the server that registered the client.
    /// - Throws: `ProtocolViolationError` if the document is not valid, as for a new response.
    public init(stored document: [UInt8], at server: ServerMetadata) throws {
        let fields = try JSONFields(parsing: document, rule: .registration, subject: "the registration")
        try self.init(fields, previous: nil, at: server, requiresSecretExpiry: false)
    }

    /// Returns the management URL, which must have the server's origin because the token is sent to it.
    ///
    /// The URL must use https unless the server itself uses http.
    private static func endpoint(_ uri: String, of server: ServerMetadata) throws -> Endpoint {
        let own = [server.registrationEndpoint?.parts, server.issuer.parts].compactMap { $0 }
        let insecure: Insecure = own.contains { $0.scheme == "http" } ? .loopbackHTTP : []
        let endpoint = try Endpoint(uri, name: "registration_client_uri", insecure: insecure)
        guard own.contains(where: endpoint.parts.hasOrigin) else {
            throw ProtocolViolationError(
                .registration,
                expected: "registration_client_uri at the server's origin",
                actual: "another origin",
                section: "RFC 7592, section 5"
            )
        }
        return endpoint
    }

    /// The registered client, for signing users in.
    ///
    /// An authentication method that this library does not support is ignored, and the server's metadata determines the
    /// method.
    public var client: OAuthClient {
        var client = OAuthClient(
            clientID: self.clientID,
            clientSecret: self.clientSecret,
            authentication: self.metadata.tokenEndpointAuthMethod.flatMap { ClientAuthentication(rawValue: $0) }
        )
        if let algorithm = self.metadata.idTokenSignedResponseAlg {
            client.idTokenAlgorithms = [JWSAlgorithm(rawValue: algorithm)]
        }
        return client
    }
}

extension RegisteredClient {
    /// Registers a new client.
    ///
    /// - Parameters:
    ///   - metadata: The client's metadata.
    ///   - server: The server's metadata.
    ///   - initialAccessToken: The token that authorizes the registration, if the server requires one.
    ///   - requiresSecretExpiry: The value for ``RegistrationRequest/requiresSecretExpiry``.
    ///   - runtime: The network, the clocks and the source of randomness.
    /// - Returns: The registration. Use its ``ClientRegistration/client`` to sign users in.
    /// - Throws: `ProtocolViolationError` with `missingMetadata` if the server has no registration endpoint, or any
    ///   error that ``send(_:deadline:)`` throws.
    public static func register(
        _ metadata: ClientMetadata,
        at server: ServerMetadata,
        initialAccessToken: Secret? = nil,
        requiresSecretExpiry: Bool = true,
        runtime: OAuthRuntime
    ) async throws -> ClientRegistration {
        let endpoint = try server.require(\.registrationEndpoint, "registration_endpoint")
        var request = RegistrationRequest.register(metadata, at: endpoint, initialAccessToken: initialAccessToken)
        request.requiresSecretExpiry = requiresSecretExpiry
        // The request does not contain a client ID, so an empty one is sufficient.
        return try await RegisteredClient(OAuthClient(clientID: ""), metadata: server, runtime: runtime).send(request)
    }
}
