// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && AsyncHTTPClient
internal import Foundation
internal import Tessera
internal import TesseraAsyncHTTPClient
internal import TesseraGoogle
internal import TesseraLocalProvider
internal import Testing

@Suite("Two processes on one store")
struct TwoProcessTests {
    @Test("Two hundred times two processes find their token expired; each time one of them refreshes (116)")
    func rounds() async throws {
        var options = LocalProviderOptions()
        options.rotateRefreshTokens = true
        let provider = try await LocalProvider.start(options)
        let directory = FileManager.default.temporaryDirectory.appending(path: "two-processes-\(UUID().uuidString)")
        let (sessions, keys) = (directory.appending(path: "sessions").path, directory.appending(path: "keys").path)
        try await Self.signIn(at: provider, store: EncryptedFileStore(directory: sessions, keyDirectory: keys))

        let probe = Bundle.main.bundleURL.appending(path: "RefreshProbe")
        let processes = try [LineProcess(probe, [sessions, keys]), LineProcess(probe, [sessions, keys])]
        for process in processes { #expect(await process.next() == "ready") }
        let rounds = 200
        for round in 1...rounds {
            let before = provider.refreshRequestCount
            for process in processes { try process.send("\(round * 4_000)") }
            let answers = [await processes[0].next(), await processes[1].next()]
            try #require(answers[0]?.hasPrefix("token ") == true, "round \(round): \(answers)")
            try #require(answers[0] == answers[1], "round \(round)")
            try #require(provider.refreshRequestCount == before + 1, "round \(round)")
        }
        for process in processes { process.end() }
        await provider.stop()
        try FileManager.default.removeItem(at: directory)
    }

    private static func signIn(at provider: LocalProvider, store: any SessionStore) async throws {
        let transport = AsyncHTTPClientTransport(permitting: .loopbackHTTP)
        let client = OAuthClient(clientID: provider.clientID, clientSecret: Secret(provider.clientSecret))
        let signIn = SignIn(
            try .issuer(provider.issuer, client: client, insecure: .loopbackHTTP),
            transport: transport,
            store: store,
            userAgent: WalkingUserAgent(walk: ConsentWalk(transport: transport))
        )
        _ = try await signIn.signIn(scopes: [.openID, .email])
    }
}
#endif
