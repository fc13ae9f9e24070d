// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import TesseraJOSE
public import TesseraJSON

/// A client as a server registered it, with what is needed to manage the registration.
///
/// Keep it whole: ``registrationAccessToken`` is the only key to it.
///
/// - SeeAlso: [RFC 7591, section 3.2.1](https://www.rfc-editor.org/rfc/rfc7591.html#section-3.2.1)
public struct ClientRegistration: Sendable {
    /// `client_id`.
    public let clientID: String
    /// `client_secret`, nil for a client without one.
    public let clientSecret: Secret?
    /// When the secret ends; nil where there is none, or where it does not end.
    public let clientSecretExpiresAt: Date?
    /// `client_id_issued_at`.
    public let clientIDIssuedAt: Date?
    /// `registration_access_token`: what reads, changes and deletes the registration; nil where it cannot be managed.
    public let registrationAccessToken: Secret?
    /// `registration_client_uri`: where the registration is managed.
    public let registrationClientURI: Endpoint?
    /// What the server registered, which may be other than what was asked for.
    public let metadata: ClientMetadata
    /// The whole answer, secrets too; its descriptions tell the shape only.
    public let document: JSONValue

    /// Reads a registration.
    ///
    /// - Parameters:
    ///   - fields: the answer.
    ///   - previous: the registration that was read or changed; what the answer leaves out stays.
    ///   - server: whose registration it is.
    ///   - requiresSecretExpiry: whether a secret without `client_secret_expires_at` is refused.
    /// - Throws: `registration`, and `endpoint` for a management address that is no https URL.
    init(
        _ fields: JSONFields,
        previous: ClientRegistration?,
        at server: ServerMetadata,
        requiresSecretExpiry: Bool = true
    ) throws {
        let clientID = try fields.requiredString("client_id")
        if let previous, !previous.clientID.isExactly(clientID) {
            throw fields.violation("client_id of the registration in hand", "another")
        }
        self.clientID = clientID
        let secret = try fields.nonEmptyString("client_secret").map(Secret.init)
        let expiresAt = try fields.time("client_secret_expires_at")
        // RFC 7591, section 3.2.1: REQUIRED beside a secret; 0 says that it does not end.
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
        // RFC 7591, section 3.2.1, and RFC 7592, section 3: both or none.
        guard (token == nil) == (uri == nil) else {
            throw fields.violation("registration_access_token and registration_client_uri together", "one of them")
        }
        self.registrationAccessToken = token ?? previous?.registrationAccessToken
        self.registrationClientURI =
            try uri.map { try Self.endpoint($0, of: server) }
            ?? previous?.registrationClientURI
        self.metadata = try ClientMetadata(fields)
        self.document = fields.object
    }

    /// Creates a registration from its stored ``document``.
    ///
    /// - Parameters:
    ///   - document: The JSON text.
    ///   - server: The metadata of the server that registered the client.
    /// - Throws: `ProtocolViolationError`, as for a new response.
    public init(stored document: [UInt8], at server: ServerMetadata) throws {
        let fields = try JSONFields(parsing: document, rule: .registration, subject: "the registration")
        try self.init(fields, previous: nil, at: server, requiresSecretExpiry: false)
    }

    /// The token goes to this address: it has to be at the server itself, by https unless the server's own is not.
    private static func endpoint(_ uri: String, of server: ServerMetadata) throws -> Endpoint {
        let own = [server.registrationEndpoint?.parts, server.issuer.parts].compactMap { $0 }
        let insecure: Insecure = own.contains { $0.scheme == "http" } ? .loopbackHTTP : []
        let endpoint = try Endpoint(uri, name: "registration_client_uri", insecure: insecure)
        guard own.contains(where: endpoint.parts.hasOrigin) else {
            throw ProtocolViolationError(
                .registration,
                expected: "registration_client_uri at the origin of the server",
                actual: "another origin",
                section: "RFC 7592, section 5"
            )
        }
        return endpoint
    }

    /// The program as it signs people in from now on.
    ///
    /// An authentication method that this library does not know is left to be chosen by the server's metadata.
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
    /// Registers a program that the server does not know yet.
    ///
    /// - Parameters:
    ///   - metadata: what the program says about itself.
    ///   - server: where it registers.
    ///   - initialAccessToken: the right to register, where the server wants one.
    ///   - requiresSecretExpiry: as ``RegistrationRequest/requiresSecretExpiry``.
    ///   - runtime: the network and the clocks.
    /// - Returns: the registration, whose ``ClientRegistration/client`` signs people in.
    /// - Throws: `missingMetadata` where the server has no registration endpoint; what ``send(_:deadline:)`` throws.
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
        // Nobody yet: nothing of a client is sent.
        return try await RegisteredClient(OAuthClient(clientID: ""), metadata: server, runtime: runtime).send(request)
    }
}
