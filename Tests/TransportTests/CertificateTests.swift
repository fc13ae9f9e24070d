// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(NIOSSL)
internal import Foundation
internal import HTTPTypes
internal import TesseraAsyncHTTPClient
internal import TesseraOAuth
internal import TesseraTesting
internal import TesseraURLSession
internal import TestTraits
internal import Testing
internal import X509

@Suite("A server's certificate")
struct CertificateTests {
    @Test("An authority given beside the system's roots is trusted")
    func additionalRoot() async throws {
        let authority = try TestIdentity.Authority()
        let server = try await TLSTestServer(authority.identity(for: "localhost"))
        let response = try await Self.trusting(authority) { makeTransport in
            let request = HTTPRequest(method: .get, scheme: "https", authority: "localhost:\(server.port)", path: "/")
            return try await makeTransport([], TransportTimeouts()).send(request, body: nil).0
        }
        #expect(response.status == .ok)
    }

    @Test("One from an authority that nobody trusts, and so a self-signed one, is refused", .covers(66))
    func unknownAuthority() async throws {
        let server = try await TLSTestServer(TestIdentity.Authority().identity(for: "localhost"))
        try await Self.trusting(TestIdentity.Authority()) { makeTransport in
            try await HTTPTransportContract(makeTransport).refusesCertificate(of: "localhost:\(server.port)")
        }
    }

    @Test("One for another host is refused", .covers(66))
    func otherHost() async throws {
        let authority = try TestIdentity.Authority()
        let server = try await TLSTestServer(authority.identity(for: "example.com"))
        try await Self.trusting(authority) { makeTransport in
            try await HTTPTransportContract(makeTransport).refusesCertificate(of: "localhost:\(server.port)")
        }
    }

    @Test("An expired one is refused", .covers(66))
    func expired() async throws {
        let authority = try TestIdentity.Authority()
        let server = try await TLSTestServer(authority.identity(for: "localhost", validFor: 3_600))
        try await Self.trusting(authority) { makeTransport in
            try await HTTPTransportContract(makeTransport).refusesCertificate(of: "localhost:\(server.port)")
        }
    }

    @Test("The permission for plain http to loopback permits no bad certificate, on URLSession neither", .covers(66))
    func urlSession() async throws {
        let server = try await TLSTestServer(TestIdentity.Authority().identity(for: "localhost"))
        try await HTTPTransportContract { URLSessionTransport(permitting: $0, timeouts: $1) }
            .refusesCertificate(of: "localhost:\(server.port)")
    }

    @Test("A file of roots that cannot be read fails the request with the code tls, not silently")
    func missingFile() async throws {
        let server = try await TLSTestServer(TestIdentity.Authority().identity(for: "localhost"))
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try await HTTPTransportContract {
            AsyncHTTPClientTransport(permitting: $0, timeouts: $1, additionalTrustRoots: [path])
        }
        .refusesCertificate(of: "localhost:\(server.port)")
    }

    @Test(
        "A client's certificate is shown to a server that demands one, which refuses a client without or with another's"
    )
    func clientIdentity() async throws {
        let authority = try TestIdentity.Authority()
        let server = try await TLSTestServer(authority.identity(for: "localhost"), clientAuthority: authority)
        let request = HTTPRequest(method: .get, scheme: "https", authority: "localhost:\(server.port)", path: "/")
        let ours = try authority.identity(for: "client", usage: .clientAuth)
        let others = try TestIdentity.Authority().identity(for: "client", usage: .clientAuth)
        try await Self.withFile(authority) { path in
            let transport = try Self.transport(ours.certificate, ours.key, path)
            #expect(try await transport.send(request, body: nil).0.status == .ok)
            for transport in [
                AsyncHTTPClientTransport(additionalTrustRoots: [path]),
                try Self.transport(others.certificate, others.key, path),
                try Self.transport(ours.certificate, others.key, path),
            ] {
                await #expect(throws: TransportError.self) { try await transport.send(request, body: nil) }
            }
        }
    }

    @Test("A client's certificate that cannot be read is an error at once, which shows nothing of the key")
    func unreadableIdentity() throws {
        let identity = try TestIdentity.Authority().identity(for: "client", usage: .clientAuth)
        for (certificate, key) in [
            ("", identity.key), ("no PEM", identity.key), (identity.certificate, ""), (identity.certificate, "SECRET"),
            (identity.key, identity.key), (identity.certificate, identity.certificate),
        ] {
            let error = #expect(throws: InvalidRequestError.self) { try Self.transport(certificate, key, "") }
            #expect(error?.name == "clientIdentity")
            #expect(!String(reflecting: error).contains("SECRET"))
        }
        let value = ClientIdentity(certificateChain: identity.certificate, privateKey: Secret("SECRET"))
        #expect(!String(reflecting: value).contains("SECRET"))
    }

    private static func transport(_ certificate: String, _ key: String, _ root: String) throws
        -> AsyncHTTPClientTransport
    {
        try AsyncHTTPClientTransport(
            clientIdentity: ClientIdentity(certificateChain: certificate, privateKey: Secret(key)),
            additionalTrustRoots: [root]
        )
    }

    private static func trusting<Value>(
        _ authority: TestIdentity.Authority,
        _ body: (@escaping HTTPTransportContract.MakeTransport) async throws -> Value
    ) async throws -> Value {
        try await Self.withFile(authority) { path in
            try await body {
                AsyncHTTPClientTransport(permitting: $0, timeouts: $1, additionalTrustRoots: [path])
            }
        }
    }

    private static func withFile<Value>(
        _ authority: TestIdentity.Authority,
        _ body: (_ path: String) async throws -> Value
    ) async throws -> Value {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).pem")
        try Data(authority.pem.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await body(file.path)
    }
}
#endif
