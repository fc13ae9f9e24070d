// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(NIOSSL)
internal import Foundation
internal import HTTPTypes
internal import TesseraOAuth
internal import TesseraTesting
internal import TesseraURLSession
internal import TestTraits
internal import Testing
internal import X509

@Suite("Server certificates")
struct CertificateTests {
    @Test(
        "Trusts an additional authority from the caller or SSL_CERT_FILE",
        arguments: TestedTransport.trustingRoots
    )
    func additionalRoot(_ tested: TestedTransport) async throws {
        let authority = try TestIdentity.Authority()
        let server = try await TLSTestServer(authority.identity(for: "localhost"))
        try await withFile(try authority.pem) { path in
            for transport in [
                tested.make(trustRoots: [path]), tested.make(environment: ["SSL_CERT_FILE": path]),
                // A missing file is ignored, as OpenSSL does.
                tested.make(trustRoots: [path], environment: ["SSL_CERT_FILE": path + "x"]),
            ] {
                let response = try await transport.get(from: "localhost:\(server.port)").0
                #expect(response.status == .ok)
            }
        }
    }

    @Test(
        "Rejects a certificate from an untrusted authority",
        .covers(66),
        arguments: TestedTransport.trustingRoots
    )
    func unknownAuthority(_ tested: TestedTransport) async throws {
        let server = try await TLSTestServer(TestIdentity.Authority().identity(for: "localhost"))
        try await Self.trusting(TestIdentity.Authority(), tested) { contract in
            try await contract.refusesCertificate(of: "localhost:\(server.port)")
        }
    }

    @Test("Rejects a certificate for another host", .covers(66), arguments: TestedTransport.trustingRoots)
    func otherHost(_ tested: TestedTransport) async throws {
        let authority = try TestIdentity.Authority()
        let server = try await TLSTestServer(authority.identity(for: "example.com"))
        try await Self.trusting(authority, tested) { contract in
            try await contract.refusesCertificate(of: "localhost:\(server.port)")
        }
    }

    @Test("Rejects an expired certificate", .covers(66), arguments: TestedTransport.trustingRoots)
    func expired(_ tested: TestedTransport) async throws {
        let authority = try TestIdentity.Authority()
        let server = try await TLSTestServer(authority.identity(for: "localhost", validFor: 3_600))
        try await Self.trusting(authority, tested) { contract in
            try await contract.refusesCertificate(of: "localhost:\(server.port)")
        }
    }

    @Test("Rejects an untrusted certificate with URLSession even if plain HTTP is permitted", .covers(66))
    func urlSession() async throws {
        let server = try await TLSTestServer(TestIdentity.Authority().identity(for: "localhost"))
        try await HTTPTransportContract { URLSessionTransport(insecure: $0, timeouts: $1) }
            .refusesCertificate(of: "localhost:\(server.port)")
    }

    @Test(
        "Fails with the code tls if a file with trust roots cannot be read",
        arguments: TestedTransport.trustingRoots
    )
    func missingFile(_ tested: TestedTransport) async throws {
        let server = try await TLSTestServer(TestIdentity.Authority().identity(for: "localhost"))
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try await HTTPTransportContract { tested.make(insecure: $0, timeouts: $1, trustRoots: [path]) }
            .refusesCertificate(of: "localhost:\(server.port)")
    }

    @Test(
        "Presents a client certificate and fails without one or with an untrusted one",
        arguments: TestedTransport.presentingIdentities
    )
    func clientIdentity(_ tested: TestedTransport) async throws {
        let authority = try TestIdentity.Authority()
        let server = try await TLSTestServer(authority.identity(for: "localhost"), clientAuthority: authority)
        let request = HTTPRequest(method: .get, scheme: "https", authority: "localhost:\(server.port)", path: "/")
        let ours = try authority.identity(for: "client", usage: .clientAuth)
        let others = try TestIdentity.Authority().identity(for: "client", usage: .clientAuth)
        try await withFile(try authority.pem) { path in
            let transport = try Self.transport(tested, ours.certificate, ours.key, path)
            #expect(try await transport.send(request, body: nil).0.status == .ok)
            for transport in [
                tested.make(trustRoots: [path]),
                try Self.transport(tested, others.certificate, others.key, path),
                try Self.transport(tested, ours.certificate, others.key, path),
            ] {
                await #expect(throws: TransportError.self) { try await transport.send(request, body: nil) }
            }
        }
    }

    @Test(
        "Rejects an unreadable client certificate at once, without revealing the key",
        arguments: TestedTransport.presentingIdentities
    )
    func unreadableIdentity(_ tested: TestedTransport) throws {
        let identity = try TestIdentity.Authority().identity(for: "client", usage: .clientAuth)
        for (certificate, key) in [
            ("", identity.key), ("no PEM", identity.key), (identity.certificate, ""), (identity.certificate, "SECRET"),
            (identity.key, identity.key), (identity.certificate, identity.certificate),
        ] {
            let error = #expect(throws: InvalidRequestError.self) { try Self.transport(tested, certificate, key, "") }
            #expect(error?.name == "clientIdentity")
            #expect(!String(reflecting: error).contains("SECRET"))
        }
        let value = ClientIdentity(certificateChain: identity.certificate, privateKey: Secret("SECRET"))
        #expect(!String(reflecting: value).contains("SECRET"))
    }

    private static func transport(
        _ tested: TestedTransport,
        _ certificate: String,
        _ key: String,
        _ root: String
    ) throws -> any HTTPTransport {
        try tested.make(
            identity: ClientIdentity(certificateChain: certificate, privateKey: Secret(key)),
            trustRoots: [root]
        )
    }

    private static func trusting(
        _ authority: TestIdentity.Authority,
        _ tested: TestedTransport,
        _ body: (HTTPTransportContract) async throws -> Void
    ) async throws {
        try await withFile(try authority.pem) { path in
            try await body(
                HTTPTransportContract { tested.make(insecure: $0, timeouts: $1, trustRoots: [path]) }
            )
        }
    }
}
#endif
