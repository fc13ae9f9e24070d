// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if os(Linux) && canImport(NIOSSL)
internal import CTesseraTestLookup
internal import Glibc
internal import HTTPTypes
@testable internal import TesseraCurl
internal import TesseraOAuth
internal import Testing

@Suite("Name lookups of the libcurl transport", .timeLimit(.minutes(1)))
struct CurlLookupTests {
    private static let hasTrustRoots = CurlLibrary.loaded.hasTrustRoots

    @Test(
        "A hanging lookup does not delay other requests or a shutdown, even when it is canceled",
        .enabled(if: hasTrustRoots, "libcurl trusts only the system's certificates")
    )
    func hangingLookup() async {
        // In its own process, because the lookup hangs for the whole process.
        await #expect(processExitsWith: .success) {
            // A thread that waits for the lookup would wait forever.
            alarm(50)
            let authority = try TestIdentity.Authority()
            let server = try await TLSTestServer(authority.identity(for: "localhost"))
            try await withFile(authority.pem) { path in
                let transport = CurlTransport(additionalTrustRoots: [path], environment: ProcessVariables([:]))
                let hanging = Task { try await transport.get(from: "hang.test") }
                while tessera_test_hanging_lookups() == 0 { await Task.yield() }
                _ = try await transport.get(from: "localhost:\(server.port)")
                hanging.cancel()
                await #expect(throws: CancellationError.self) { _ = try await hanging.value }
                _ = try await transport.get(from: "localhost:\(server.port)")
                await transport.shutdown()
                #expect(tessera_test_hanging_lookups() > 0)
                tessera_test_release_lookups()
            }
        }
    }

    @Test(
        "Connects to the second address of a host if the first one refuses",
        .enabled(if: hasTrustRoots, "libcurl trusts only the system's certificates")
    )
    func secondAddress() async throws {
        let authority = try TestIdentity.Authority()
        let server = try await TLSTestServer(authority.identity(for: "both.test"))
        try await withFile(authority.pem) { path in
            for _ in 1...5 {
                let transport = CurlTransport(additionalTrustRoots: [path], environment: ProcessVariables([:]))
                for _ in 1...2 {
                    let (response, _) = try await transport.get(from: "both.test:\(server.port)")
                    #expect(response.status == .ok)
                }
            }
        }
        #expect(server.connections == 5)
    }

    @Test("Reports a name that does not exist")
    func unknownName() async throws {
        let transport = CurlTransport(environment: ProcessVariables([:]))
        let error = await #expect(throws: TransportError.self) { _ = try await transport.get(from: "none.invalid") }
        #expect(error?.code == .nameResolution)
    }
}
#endif
