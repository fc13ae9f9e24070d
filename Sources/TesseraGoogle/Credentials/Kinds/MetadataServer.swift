// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// The service account of a machine on Google Cloud, whose tokens come from the metadata server.
///
/// - SeeAlso: [About VM metadata](https://cloud.google.com/compute/docs/metadata/overview)
final class MetadataServer: CredentialMethod {
    /// The service account, `default` or an email address.
    let account: String
    private let address: MetadataAddress
    /// The description of the service account, which does not change while the machine is running.
    private let known = Mutex<Account?>(nil)

    private struct Account: Sendable {
        let email: String
        let scopes: [Scope]
    }

    init(account: String, address: MetadataAddress) {
        self.account = account
        self.address = address
    }

    var kind: GoogleCredentialKind { .metadataServer }

    func requestToken(_ scopes: [Scope], _ client: CredentialClient) async throws -> IssuedToken {
        // Without requested scopes, google-auth requests those that the machine was created with.
        let account = try await self.describe(client)
        let scopes = scopes.isEmpty ? account.scopes : scopes
        var query = FormParameters()
        if !scopes.isEmpty { query.append("scopes", scopes.map(\.rawValue).joined(separator: ",")) }
        let path = "instance/service-accounts/\(Self.isDefault(self.account) ? "default" : account.email)/token"
        let fields = try await self.address.get(path, query, client).fields("the metadata server's token")
        return IssuedToken(
            Secret(try fields.requiredString("access_token")),
            lifetime: try fields.seconds("expires_in")
        )
    }

    private static func isDefault(_ account: String) -> Bool { account == "default" }

    private func describe(_ client: CredentialClient) async throws -> Account {
        if let account = self.known.withLock({ $0 }) { return account }
        var query = FormParameters()
        query.append("recursive", "true")
        let fields = try await self.address.get("instance/service-accounts/\(self.account)/", query, client)
            .fields("the service account")
        let account = Account(
            email: try fields.requiredString("email"),
            scopes: try fields.strings("scopes")?.map { Scope($0) } ?? []
        )
        self.known.withLock { $0 = account }
        return account
    }

    func requestIDToken(_ request: IDTokenRequest, _ client: CredentialClient) async throws -> IssuedIDToken {
        var query = FormParameters()
        query.append("audience", request.audience)
        query.append("format", "full")
        if request.includesLicenses { query.append("licenses", "TRUE") }
        let response = try await self.address.get("instance/service-accounts/\(self.account)/identity", query, client)
        guard let token = response.text else {
            throw GoogleCredentialsError(.metadataServer, reason: "the metadata server returned an invalid ID token")
        }
        return try client.issued(token, in: response)
    }

    func sign(_ bytes: [UInt8], _ client: CredentialClient) async throws -> GoogleSignature {
        let (service, token) = try await self.service(client)
        return try await service.sign(bytes, delegates: nil, token: token, client)
    }

    func signJWT(_ claims: JSONNode, _ client: CredentialClient) async throws -> Secret {
        let (service, token) = try await self.service(client)
        return try await service.signJWT(claims, delegates: nil, token: token, client)
    }

    private func service(_ client: CredentialClient) async throws -> (IAMService, AccessToken) {
        let email = try await self.describe(client).email
        let token = try await self.requestToken([IAMService.scope], client)
        return (IAMService(account: email), AccessToken(token.secret, expiresAt: nil))
    }

    func email(_ client: CredentialClient) async throws -> String? { try await self.describe(client).email }

    func project(_ token: CredentialToken, _ scopes: [Scope], _ client: CredentialClient) async throws -> String? {
        try await self.address.get("project/project-id", FormParameters(), client).text
    }

    func universe(_ client: CredentialClient) async throws -> String {
        do {
            let text = try await self.address.get("universe/universe-domain", FormParameters(), client).text
            return text.flatMap { $0.isEmpty ? nil : $0 } ?? EndpointTrust.defaultUniverse
        } catch let error as GoogleCredentialsError where error.status == 404 {
            return EndpointTrust.defaultUniverse
        }
    }
}

/// The address of the metadata server, and how requests to it are sent.
struct MetadataAddress: Sendable {
    /// The host, and the port if it is not 80.
    let host: String
    /// The address that is used for detection, which does not require name resolution.
    let detectionHost: String
    /// The transport and the scheme for requests with a client certificate.
    private let certificate: MetadataCertificate?

    init(_ environment: GoogleEnvironment, _ certificate: MetadataCertificate?) {
        self.host = environment.first(of: "GCE_METADATA_HOST", "GCE_METADATA_ROOT") ?? "metadata.google.internal"
        self.detectionHost = environment["GCE_METADATA_IP"] ?? "169.254.169.254"
        self.certificate = certificate
    }

    /// Sends a request for a metadata value.
    ///
    /// - Throws: ``GoogleCredentialsError`` with `metadataServer`, `TransportError` or `CancellationError`.
    func get(_ path: String, _ query: FormParameters, _ client: CredentialClient) async throws -> ServiceResponse {
        let target = "\(self.host)/computeMetadata/v1/\(path)"
        let query = query.parameters.isEmpty ? "" : "?" + query.encoded
        var request = try self.request("metadata", target + query)
        request.attempts = 5
        do {
            return try Self.checked(try await client.response(to: request), request)
        } catch let error where self.certificate?.isOptional == true && !(error is CancellationError) {
            // The certificate does not work, and the mode permits requests without it.
            request = try self.request("metadata", target + query, usesCertificate: false)
            return try Self.checked(try await client.response(to: request), request)
        }
    }

    /// Returns whether a metadata server responds within one second.
    func responds(_ client: CredentialClient) async -> Bool {
        guard var request = try? self.request("metadata_detection", self.detectionHost) else { return false }
        request.deadline = .seconds(1)
        request.attempts = 1
        guard let response = try? await client.response(to: request) else { return false }
        return (try? Self.checked(response, request)) != nil
    }

    private func request(_ name: String, _ target: String, usesCertificate: Bool = true) throws -> ServiceRequest {
        let certificate = usesCertificate ? self.certificate : nil
        let url: Endpoint
        do {
            url = try Endpoint(
                (certificate == nil ? "http://" : "https://") + target,
                name: "GCE_METADATA_HOST",
                insecure: [.loopbackHTTP, .metadataServerHTTP]
            )
        } catch {
            throw GoogleCredentialsError(
                .invalidConfiguration,
                at: "GCE_METADATA_HOST",
                reason:
                    "the metadata server must be a link-local address, metadata.google.internal or a loopback address"
            )
        }
        var request = ServiceRequest(name, server: "The metadata server", url: url)
        request.code = .metadataServer
        request.fields[.metadataFlavor] = "Google"
        request.deadline = .seconds(10)
        request.identity = certificate?.transport
        return request
    }

    /// Checks that the response comes from a metadata server and not from another server on the network.
    private static func checked(_ response: ServiceResponse, _ request: ServiceRequest) throws -> ServiceResponse {
        guard response.response.headerFields[.metadataFlavor] == "Google" else {
            throw GoogleCredentialsError(
                .metadataServer,
                at: request.location,
                reason: "the response does not come from a metadata server, because it has no Metadata-Flavor field"
            )
        }
        return response
    }
}

extension HTTPField.Name {
    /// The field that identifies requests to the metadata server and its responses.
    fileprivate static let metadataFlavor = Self(known: "Metadata-Flavor")
}
