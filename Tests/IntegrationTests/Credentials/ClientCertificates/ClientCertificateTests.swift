// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc) || canImport(Musl)
internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraDefaults
@testable internal import TesseraGoogle
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTransport
internal import Testing

@Suite(
    "Credentials with client certificates, at an nginx that requires them",
    .enabled(if: CertificateServer.missing == nil, "\(CertificateServer.missing ?? "")"),
    .timeLimit(.minutes(1))
)
struct ClientCertificateTests {
    // MARK: X.509 external accounts

    @Test("Presents the certificate of an external account to the token service", arguments: [false, true])
    func externalAccount(_ hasTrustChain: Bool) async throws {
        try await CertificateServer.with { server in
            let client = try await server.authority.issue("workload")
            let runtime = try Self.runtime(trusting: server)
            let chain = hasTrustChain ? server.authority.certificatePath : nil
            let credentials = try Self.externalAccount(client, trustChain: chain, at: server, runtime)
            #expect(try await Self.text(credentials.accessToken()) == client.fingerprint())
        }
    }

    @Test("Reports that the token service rejected the certificate of another authority")
    func foreignCertificate() async throws {
        try await CertificateServer.with { server in
            let other = try await TestAuthority(directory: server.directory + "/other")
            let runtime = try Self.runtime(trusting: server)
            let credentials = try Self.externalAccount(try await other.issue("workload"), at: server, runtime)
            await Self.expectRejection(of: credentials)
        }
    }

    @Test("Reports that the token service rejected a request without a certificate")
    func noCertificate() async throws {
        try await CertificateServer.with { server in
            let root = server.authority.certificatePath
            var runtime = try Self.runtime(trusting: server)
            runtime.transportWithIdentity = { _, _ in TestTransport.make(additionalTrustRoots: [root]) }
            let client = try await server.authority.issue("workload")
            await Self.expectRejection(of: try Self.externalAccount(client, at: server, runtime))
        }
    }

    @Test("Sends nothing to a token service whose certificate is not trusted, or without the certificate's key")
    func failedHandshake() async throws {
        try await CertificateServer.with { server in
            let client = try await server.authority.issue("workload")
            let runtime = try Self.runtime(trusting: server)
            let platform = PlatformDefaults.credentialRuntime()
            let other = try await server.authority.issue("other").keyPath
            for credentials in [
                try Self.externalAccount(client, at: server, platform),
                try Self.externalAccount(client, keyPath: other, at: server, runtime),
            ] {
                await #expect { try await credentials.accessToken() } throws: { TransportError.Code.tls ~= $0 }
            }
        }
    }

    // MARK: Metadata server

    @Test("Presents the machine's certificate to the metadata server in both modes", arguments: ["strict", "default"])
    func metadataServer(_ mode: String) async throws {
        try await CertificateServer.with { server in
            let client = try await server.authority.issue("machine")
            let machine = try Machine(client, trusting: server.authority, at: server, mode: mode)
            #expect(try await Self.text(machine.credentials.accessToken()) == client.fingerprint())
            #expect(try await machine.credentials.email() == "machine@example.com")
            #expect(machine.plaintext.requests.isEmpty)
        }
    }

    @Test("Reports that the metadata server rejected the certificate of another authority")
    func foreignMachine() async throws {
        try await CertificateServer.with { server in
            let other = try await TestAuthority(directory: server.directory + "/other")
            let client = try await other.issue("machine")
            let machine = try Machine(client, trusting: server.authority, at: server, mode: "strict")
            await #expect { try await machine.credentials.accessToken() } throws: { error in
                let error = error as? GoogleCredentialsError
                return error?.code == .metadataServer && error?.status == 400 && error?.isRetryable == false
            }
            #expect(machine.plaintext.requests.isEmpty)
        }
    }

    @Test("Sends nothing to a metadata server whose certificate is from another authority")
    func foreignMetadataServer() async throws {
        try await CertificateServer.with { server in
            let other = try await TestAuthority(directory: server.directory + "/other")
            let client = try await server.authority.issue("machine")
            let machine = try Machine(client, trusting: other, at: server, mode: "strict")
            await #expect { try await machine.credentials.accessToken() } throws: { TransportError.Code.tls ~= $0 }
            #expect(machine.plaintext.requests.isEmpty)
        }
    }
}

extension ClientCertificateTests {
    /// Returns the platform's runtime, whose transports with a certificate also trust the server's authority.
    private static func runtime(trusting server: CertificateServer) throws -> OAuthRuntime {
        var runtime = PlatformDefaults.credentialRuntime()
        let makeTransport = try #require(runtime.transportWithIdentity)
        let root = server.authority.certificatePath
        runtime.transportWithIdentity = { identity, roots in try makeTransport(identity, roots + [root]) }
        return runtime
    }

    /// Returns the credentials of a file that names the certificate, its key and the server.
    private static func externalAccount(
        _ certificate: TestCertificate,
        keyPath: String? = nil,
        trustChain: String? = nil,
        at server: CertificateServer,
        _ runtime: OAuthRuntime
    ) throws -> GoogleCredentials {
        let directory = "\(server.directory)/\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let configuration: JSONNode = [
            "cert_configs": [
                "workload": [
                    "cert_path": .string(certificate.certificatePath),
                    "key_path": .string(keyPath ?? certificate.keyPath),
                ]
            ]
        ]
        let configurationPath = directory + "/certificate_config.json"
        try Self.write(configuration.text(), to: configurationPath)
        var source = [JSONMember(name: "certificate_config_location", value: .string(configurationPath))]
        if let trustChain { source.append(JSONMember(name: "trust_chain_path", value: .string(trustChain))) }
        let file: JSONNode = [
            "type": "external_account",
            "audience": "//iam.googleapis.com/projects/123/locations/global/workloadIdentityPools/pool/providers/x509",
            "subject_token_type": "urn:ietf:params:oauth:token-type:mtls",
            "token_url": .string("https://\(server.address)/v1/token"),
            "credential_source": ["certificate": .object(source)],
        ]
        let path = directory + "/credentials.json"
        try Self.write(file.text(), to: path)
        return try GoogleCredentials.load(
            path,
            expecting: [.externalAccountX509],
            scopes: ["scope-a"],
            options: GoogleCredentialsOptions(
                environment: GoogleEnvironment(variables: [:], homeDirectory: nil),
                trustedOrigins: [try OriginPattern("https://\(server.address)")]
            ),
            runtime: runtime
        )
    }

    /// Checks that the server rejects the credentials, which nginx does with the status 400 and a page in HTML.
    private static func expectRejection(
        of credentials: GoogleCredentials,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await #expect(sourceLocation: sourceLocation) { try await credentials.accessToken() } throws: { error in
            let error = error as? HTTPStatusError
            return error?.status == 400 && error?.isRetryable == false
        }
    }

    private static func text(_ token: AccessToken) -> String { token.secret.withUnredacted { $0 } }

    fileprivate static func write(_ text: String, to path: String) throws {
        // Credential files that other users can read cause a warning.
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8), attributes: attributes) else {
            throw CocoaError(.fileWriteUnknown)
        }
    }
}

/// A virtual machine with certificates for its metadata server.
private struct Machine {
    let credentials: GoogleCredentials
    /// The transport without a certificate.
    let plaintext = ScriptedTransport { _ in throw TransportError(.cannotConnect) }

    /// Creates a machine with a client certificate and the authority of the metadata server's certificate.
    init(
        _ client: TestCertificate,
        trusting authority: TestAuthority,
        at server: CertificateServer,
        mode: String
    ) throws {
        let directory = "\(server.directory)/\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: authority.certificatePath, toPath: directory + "/root.crt")
        let identity = try [client.certificatePath, client.keyPath]
            .map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
        try ClientCertificateTests.write(identity, to: directory + "/client.key")

        var runtime = PlatformDefaults.credentialRuntime()
        let makeTransport = try #require(runtime.transportWithIdentity)
        runtime.transport = self.plaintext
        runtime.transportWithIdentity = { identity, roots in
            ReroutedMetadata(address: server.address, transport: try makeTransport(identity, roots))
        }
        let options = GoogleCredentialsOptions(
            environment: GoogleEnvironment(variables: ["GCE_METADATA_MTLS_MODE": mode], homeDirectory: nil)
        )
        // The public API reads the certificates from a fixed directory that only root can write to.
        let certificate = try MetadataCertificate.find(options.environment, runtime: runtime, directory: directory)
        self.credentials = GoogleCredentials(
            MetadataServer(account: "default", address: MetadataAddress(options.environment, certificate)),
            scopes: [],
            quotaProject: nil,
            search: [],
            options: options,
            client: try options.client(runtime)
        )
    }
}

/// A transport that sends the requests for the metadata server to another address.
private struct ReroutedMetadata: HTTPTransport {
    let address: String
    let transport: any HTTPTransport

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        #expect(request.scheme == "https" && request.authority == "metadata.google.internal")
        var rerouted = request
        rerouted.authority = self.address
        return try await self.transport.send(rerouted, body: body)
    }
}
#endif
