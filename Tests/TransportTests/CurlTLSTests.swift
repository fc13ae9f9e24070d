// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if os(Linux) && canImport(NIOSSL)
internal import Foundation
internal import HTTPTypes
@testable internal import TesseraCurl
internal import TesseraOAuth
internal import Testing
internal import X509

@Suite("The TLS library of libcurl")
struct CurlTLSTests {
    @Test(
        "Trusts an additional authority, with and without HTTP/2",
        .enabled(if: CurlLibrary.loaded.hasTrustRoots, "libcurl trusts only the system's certificates"),
        arguments: [false, true]
    )
    func additionalRoot(offersHTTP2: Bool) async throws {
        let authority = try TestIdentity.Authority()
        let server = try await TLSTestServer(authority.identity(for: "localhost"))
        try await withFile(try authority.pem) { path in
            let transport = CurlTransport(additionalTrustRoots: [path], offersHTTP2: offersHTTP2)
            for _ in 1...2 {
                let (response, _) = try await transport.get(from: "localhost:\(server.port)")
                #expect(response.status == .ok)
            }
        }
    }

    @Test(
        "Sends fields that are larger than libcurl's buffer for uploads",
        .enabled(if: CurlLibrary.loaded.hasTrustRoots, "libcurl trusts only the system's certificates"),
        arguments: [16_000, 17_000, 60_000]
    )
    func largeFields(size: Int) async throws {
        let authority = try TestIdentity.Authority()
        let server = try await TLSTestServer(authority.identity(for: "localhost"))
        let value = String((0..<size).map { Character(Unicode.Scalar(UInt8(ascii: "0") + UInt8($0 % 7))) })
        var request = HTTPRequest(method: .get, scheme: "https", authority: "localhost:\(server.port)", path: "/")
        request.headerFields[.referer] = value
        try await withFile(try authority.pem) { path in
            let transport = CurlTransport(additionalTrustRoots: [path])
            for _ in 1...2 {
                let (response, _) = try await transport.send(request, body: nil)
                #expect(response.status == .ok)
            }
        }
        #expect(server.requests == 2)
        #expect(server.received.components(separatedBy: " \(value)\r\n").count == 3)
    }

    @Test(
        "No longer trusts an authority that was removed from the file",
        .enabled(if: CurlLibrary.loaded.hasTrustRoots, "libcurl trusts only the system's certificates")
    )
    func replacedRoot() async throws {
        let authority = try TestIdentity.Authority()
        let server = try await TLSTestServer(authority.identity(for: "localhost"))
        try await withFile(try authority.pem) { path in
            let transport = CurlTransport(additionalTrustRoots: [path])
            let (response, _) = try await transport.get(from: "localhost:\(server.port)")
            #expect(response.status == .ok)
            try Data(try TestIdentity.Authority().pem.utf8).write(to: URL(fileURLWithPath: path))
            let error = await #expect(throws: TransportError.self) {
                _ = try await transport.get(from: "localhost:\(server.port)")
            }
            #expect(error?.code == .tls)
            #expect(server.requests == 1)
        }
    }

    @Test(
        "Rejects an additional authority that it cannot trust",
        .enabled(if: !CurlLibrary.loaded.hasTrustRoots, "libcurl trusts additional certificates")
    )
    func refusedRoot() async throws {
        let authority = try TestIdentity.Authority()
        let server = try await TLSTestServer(authority.identity(for: "localhost"))
        try await withFile(try authority.pem) { path in
            let transport = CurlTransport(additionalTrustRoots: [path])
            let error = await #expect(throws: TransportError.self) {
                _ = try await transport.get(from: "localhost:\(server.port)")
            }
            #expect(error?.code == .unusableLibrary)
            #expect(server.requests == 0)
        }
    }

    @Test("Presents a client certificate only with OpenSSL")
    func clientIdentity() throws {
        let identity = try TestIdentity.Authority().identity(for: "client", usage: .clientAuth)
        let client = ClientIdentity(certificateChain: identity.certificate, privateKey: Secret(identity.key))
        if CurlLibrary.loaded.usesOpenSSL {
            _ = try CurlTransport(clientIdentity: client)
        } else {
            let error = #expect(throws: InvalidRequestError.self) { try CurlTransport(clientIdentity: client) }
            #expect(error?.name == "clientIdentity")
        }
    }
}
#endif
