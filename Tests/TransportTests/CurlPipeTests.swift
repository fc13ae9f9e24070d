// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if os(Linux) && canImport(NIOSSL)
internal import Foundation
internal import HTTPTypes
@testable internal import TesseraCurl
internal import TesseraOAuth
internal import Testing

@Suite("Connections closed during an upload, with libcurl")
struct CurlPipeTests {
    // libcurl 7.80 raises SIGPIPE with OpenSSL. Later versions do not.
    @Test(
        "A closed connection does not end the process with SIGPIPE",
        .enabled(if: CurlLibrary.loaded.hasTrustRoots, "libcurl trusts only the system's certificates")
    )
    func pipe() async {
        await #expect(processExitsWith: .success) {
            let authority = try TestIdentity.Authority()
            let server = try await TLSTestServer(authority.identity(for: "localhost"))
            try await withFile(try authority.pem) { path in
                let transport = CurlTransport(additionalTrustRoots: [path])
                _ = try await transport.get(from: "localhost:\(server.port)")
                // The server's library has ignored SIGPIPE since its first connection.
                signal(SIGPIPE, SIG_DFL)
                for _ in 1...20 {
                    var request = HTTPRequest(
                        method: .post,
                        scheme: "https",
                        authority: "localhost:\(server.port)",
                        path: "/close"
                    )
                    request.headerFields[.contentType] = "application/octet-stream"
                    _ = try? await transport.send(request, body: HTTPBody(Array(repeating: 7, count: 4 << 20)))
                }
            }
        }
    }
}
#endif
