// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if os(Linux) && canImport(NIOSSL)
internal import Foundation
internal import LoopbackHTTP
internal import TesseraCurl
internal import TesseraOAuth
internal import Testing

@Suite("Certificates that servers present")
struct ShownCertificateTests {
    @Test("Shows the issuer and dates even of an untrusted certificate for another host")
    func shown() async throws {
        let identity = try TestIdentity.Authority().identity(for: "example.com")
        let server = try await TLSTestServer(identity)
        let shown = try #require(await CurlTransport().shownCertificate(of: "localhost", port: server.port))
        #expect(shown.issuer == "Tessera test authority")
        #expect(shown.validUntil.timeIntervalSince(shown.validFrom) == 86_400 * 2)
        #expect(abs(shown.validFrom.timeIntervalSinceNow + 86_400) < 3_600)
        #expect(server.requests == 0)
    }

    @Test("Shows a certificate behind a proxy that requires credentials")
    func proxied() async throws {
        let server = try await TLSTestServer(TestIdentity.Authority().identity(for: "server.test"))
        let proxy = try await TestProxy(credentials: "user:p@ss")
        let transport = CurlTransport(
            environment: ProcessVariables(["HTTPS_PROXY": "http://user:p%40ss@\(proxy.address)"])
        )
        let shown = await transport.shownCertificate(of: "server.test", port: server.port)
        #expect(shown?.issuer == "Tessera test authority")
        #expect(proxy.targets == ["server.test:\(server.port)"])
        #expect(transport.proxyName(for: "server.test") == proxy.address)
        #expect(transport.proxyName(for: "localhost") == nil)
    }

    @Test(
        "Shows no certificate with an unusable proxy, a port without TLS, or an invalid host"
    )
    func notShown() async throws {
        let server = try await TLSTestServer(TestIdentity.Authority().identity(for: "server.test"))
        let none = ProcessVariables([:])
        let transport = CurlTransport(environment: ProcessVariables(["HTTPS_PROXY": "ftp://127.0.0.1"]))
        // A name that is reachable directly but not exempt from the proxy.
        #expect(await CurlTransport(environment: none).shownCertificate(of: "LOCALHOST", port: server.port) != nil)
        #expect(await transport.shownCertificate(of: "LOCALHOST", port: server.port) == nil)
        #expect(transport.proxyName(for: "server.test") == "that cannot be used")
        let plain = try LoopbackServer.start(on: .ipv4) { _ in LoopbackResponse(status: 200) }
        #expect(await transport.shownCertificate(of: "127.0.0.1", port: 1) == nil)
        #expect(await transport.shownCertificate(of: "user@localhost", port: server.port) == nil)
        #expect(await transport.shownCertificate(of: "localhost", port: Int(plain.port)) == nil)
    }
}
#endif
