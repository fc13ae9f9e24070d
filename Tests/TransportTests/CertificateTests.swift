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

@Suite("A server's certificate")
struct CertificateTests {
    @Test(
        "An authority is trusted that the caller or SSL_CERT_FILE adds to the system's",
        arguments: TestedTransport.trustingRoots
    )
    func additionalRoot(_ tested: TestedTransport) async throws {
        let authority = try TestIdentity.Authority()
        let server = try await TLSTestServer(authority.identity(for: "localhost"))
        try await withFile(try authority.pem) { path in
            for transport in [
                tested.make(trustRoots: [path]), tested.make(environment: ["SSL_CERT_FILE": path]),
                // As OpenSSL does, a file that is not there is passed over.
                tested.make(trustRoots: [path], environment: ["SSL_CERT_FILE": path + "x"]),
            ] {
                let response = try await transport.get(from: "localhost:\(server.port)").0
                #expect(response.status == .ok)
            }
        }
    }

    @Test(
        "One from an authority that nobody trusts, and so a self-signed one, is refused",
        .covers(66),
        arguments: TestedTransport.trustingRoots
    )
    func unknownAuthority(_ tested: TestedTransport) async throws {
        let server = try await TLSTestServer(TestIdentity.Authority().identity(for: "localhost"))
        try await Self.trusting(TestIdentity.Authority(), tested) { contract in
            try await contract.refusesCertificate(of: "localhost:\(server.port)")
        }
    }

    @Test("One for another host is refused", .covers(66), arguments: TestedTransport.trustingRoots)
    func otherHost(_ tested: TestedTransport) async throws {
        let authority = try TestIdentity.Authority()
        let server = try await TLSTestServer(authority.identity(for: "example.com"))
        try await Self.trusting(authority, tested) { contract in
            try await contract.refusesCertificate(of: "localhost:\(server.port)")
        }
    }

    @Test("An expired one is refused", .covers(66), arguments: TestedTransport.trustingRoots)
    func expired(_ tested: TestedTransport) async throws {
        let authority = try TestIdentity.Authority()
        let server = try await TLSTestServer(authority.identity(for: "localhost", validFor: 3_600))
        try await Self.trusting(authority, tested) { contract in
            try await contract.refusesCertificate(of: "localhost:\(server.port)")
        }
    }

    @Test("The permission for plain http to loopback permits no bad certificate, on URLSession neither", .covers(66))
    func urlSession() async throws {
        let server = try await TLSTestServer(TestIdentity.Authority().identity(for: "localhost"))
        try await HTTPTransportContract { URLSessionTransport(permitting: $0, timeouts: $1) }
            .refusesCertificate(of: "localhost:\(server.port)")
    }

    @Test(
        "A file of roots that cannot be read fails the request with the code tls, not silently",
        arguments: TestedTransport.trustingRoots
    )
    func missingFile(_ tested: TestedTransport) async throws {
        let server = try await TLSTestServer(TestIdentity.Authority().identity(for: "localhost"))
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try await HTTPTransportContract { tested.make(permitting: $0, timeouts: $1, trustRoots: [path]) }
            .refusesCertificate(of: "localhost:\(server.port)")
    }

    @Test(
        "A client's certificate is shown to a server that demands one, which refuses a client without or with another's",
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
        "A client's certificate that cannot be read is an error at once, which shows nothing of the key",
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
                HTTPTransportContract { tested.make(permitting: $0, timeouts: $1, trustRoots: [path]) }
            )
        }
    }
}
#endif
