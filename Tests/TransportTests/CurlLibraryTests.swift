// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if os(Linux)
internal import Foundation
internal import HTTPTypes
internal import LoopbackHTTP
@testable internal import TesseraCurl
internal import TesseraOAuth
internal import Testing

@Suite("The loaded libcurl")
struct CurlLibraryTests {
    /// The version that Scripts/libcurl-versions loads.
    private static let tested = ProcessInfo.processInfo.environment["TESSERA_TESTED_LIBCURL"]

    @Test("Is the version under test", .enabled(if: tested != nil, "Scripts/libcurl-versions sets the version"))
    func version() { #expect(CurlLibrary.loaded.version == Self.tested) }

    @Test("Sends requests from version 7.80 on and reports an older version")
    func age() async throws {
        let server = try LoopbackServer.start(on: .ipv4) { _ in LoopbackResponse(status: 200) }
        let transport = CurlTransport(insecure: .loopbackHTTP)
        let request = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "\(server.host):\(server.port)",
            path: "/"
        )
        let version = CurlLibrary.loaded.version
        if version.compare("7.80", options: .numeric) != .orderedAscending {
            #expect(try await transport.send(request, body: nil).0.status == .ok)
        } else {
            let error = await #expect(throws: TransportError.self) { try await transport.send(request, body: nil) }
            #expect(error?.code == .unusableLibrary)
            #expect(error?.description == "libcurl \(version) cannot be used: it is older than 7.80 (127.0.0.1)")
            #expect(error?.recoverySuggestion?.contains("7.80") == true)
            #expect(error?.isRetryable == false)
        }
    }

    @Test("Is rejected if it is too old or has no TLS")
    func unusable() {
        let settings = Self.settings()
        #expect(Self.openSSL.refusal(of: settings) == nil)
        var library = Self.openSSL
        library.number = 0x07_5000
        #expect(library.refusal(of: settings) == nil)
        (library.number, library.version) = (0x07_4F01, "7.79.1")
        #expect(Self.text(library.refusal(of: settings))?.contains("7.79.1") == true)
        library = Self.openSSL
        library.hasTLS = false
        #expect(Self.text(library.refusal(of: settings))?.contains("does not support TLS") == true)
    }

    @Test("Is rejected for its key log only if that cannot be disabled")
    func keyLog() {
        let logs = Self.settings(environment: ["SSLKEYLOGFILE": "/tmp/keys"])
        var library = Self.openSSL
        #expect(library.refusal(of: logs) == nil)
        (library.canForbidKeyLog, library.tlsLibrary) = (false, "GnuTLS/3.7.9")
        let refusal = Self.text(library.refusal(of: logs))
        #expect(refusal?.contains("GnuTLS/3.7.9 would write") == true)
        #expect(refusal?.contains("SSLKEYLOGFILE") == true)
        #expect(CurlLibrary.loaded.usesOpenSSL || !CurlLibrary.loaded.canForbidKeyLog)
    }

    @Test(
        "Reports OpenSSL only if it is the TLS library in use",
        arguments: [
            ("OpenSSL/3.0.19", true), ("(OpenSSL/3.0.19) GnuTLS/3.7.9", false), ("LibreSSL/3.9.2", false),
            ("BoringSSL", false), ("", false),
        ]
    )
    func usesOpenSSL(tlsLibrary: String, isExpected: Bool) {
        var library = Self.openSSL
        library.tlsLibrary = tlsLibrary
        #expect(library.usesOpenSSL == isExpected)
    }

    @Test("Is rejected for additional trust roots if it cannot trust them")
    func trustRoots() throws {
        var library = Self.openSSL
        let settings = Self.settings(roots: ["/a.pem"])
        #expect(library.refusal(of: settings) == nil)
        library.hasTrustRoots = false
        #expect(Self.text(library.refusal(of: settings))?.contains("only the system's certificates") == true)
        #expect(library.refusal(of: Self.settings()) == nil)
    }

    @Test(
        "The system's certificate file is not an additional trust root",
        .enabled(if: CurlLibrary.loaded.systemRoots != nil, "libcurl has no such file")
    )
    func systemRoots() throws {
        let system = try #require(CurlLibrary.loaded.systemRoots)
        let settings = Self.settings(roots: [system, "/a.pem"], environment: ["SSL_CERT_FILE": system])
        #expect(settings.additionalRootFiles == ["/a.pem"])
    }

    private static func text(_ code: TransportError.Code?) -> String? { code.map { TransportError($0).description } }

    private static let openSSL = CurlLibrary(version: "8.0.1", number: 0x08_0001, tlsLibrary: "OpenSSL/3.0.19")

    private static func settings(roots: [String] = [], environment: [String: String] = [:]) -> CurlSettings {
        CurlSettings(
            insecure: [],
            timeouts: TransportTimeouts(),
            additionalTrustRoots: roots,
            identity: nil,
            offersHTTP2: false,
            environment: ProcessVariables(environment)
        )
    }
}
#endif
