// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Foundation
internal import HTTPTypes
internal import TesseraSupport
internal import TestTraits
internal import Testing
internal import TestTransport
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TesseraOAuth

@Suite("Local provider")
struct LocalProviderTests {
    static func options(_ change: (inout LocalProviderOptions) -> Void = { _ in }) -> LocalProviderOptions {
        var options = LocalProviderOptions()
        options.signingAlgorithm = .es256
        change(&options)
        return options
    }

    /// Starts a provider with a fast signing algorithm, runs `body`, and stops the provider.
    static func withProvider(
        _ options: LocalProviderOptions = Self.options(),
        _ body: (LocalProvider, LiveClient) async throws -> Void
    ) async throws {
        let provider = try await LocalProvider.start(options)
        let client = LiveClient(provider)
        do {
            try await body(provider, client)
        } catch {
            await provider.stop()
            throw error
        }
        await provider.stop()
    }

    @Test("Supports sign-in, Drive access, refresh and revocation over HTTP")
    func endToEnd() async throws {
        try await Self.withProvider { provider, client in
            #expect(provider.baseURL == "http://127.0.0.1:\(provider.port)")
            #expect(provider.issuer == provider.baseURL)
            let tokens = try await client.signIn(scope: "openid email https://www.googleapis.com/auth/drive")
            let keys = try JWKSet(parsing: try await client.get("/oauth2/v3/certs").bytes)
            let idToken = try CompactJWS(parsing: try #require(tokens["id_token"]?.string))
            try idToken.verify(with: try #require(keys.candidates(for: idToken.header).first))
            let token = try #require(tokens["access_token"]?.string)
            let files = try await client.get("/drive/v3/files", token: token)
            #expect(try files.json["files"]?.elements?.count == 3)
            let refreshToken = try #require(tokens["refresh_token"]?.string)
            #expect(try await client.refresh(refreshToken).status == .ok)
            #expect(provider.tokenRequestCount == 2)
            #expect(provider.refreshRequestCount == 1)
            provider.expireAccessTokens()
            #expect(try await client.get("/v1/userinfo", token: token).status == .unauthorized)
            #expect(try await client.post("/revoke", [("token", refreshToken)]).status == .ok)
            #expect(try await client.refresh(refreshToken).status == .badRequest)
        }
    }

    @Test("Writes a client file in Google's format with its own addresses")
    func clientFile() async throws {
        try await Self.withProvider { provider, _ in
            let installed = try #require(try JSONValue(parsing: provider.clientSecretFile)["installed"])
            #expect(installed["client_id"]?.string == provider.clientID)
            #expect(installed["client_secret"]?.string == provider.clientSecret)
            #expect(installed["auth_uri"]?.string == provider.baseURL + "/o/oauth2/auth")
            #expect(installed["token_uri"]?.string == provider.baseURL + "/token")
            #expect(installed["redirect_uris"]?.elements?.map(\.string) == ["http://localhost"])
        }
    }

    @Test(
        "Rejects a request with another host name",
        .covers(49),
        arguments: ["evil.example", "127.0.0.1:1", "localhost"]
    )
    func otherHost(host: String) async throws {
        try await Self.withProvider { _, client in
            let response = try await client.send(.get, "/", host: host)
            #expect(response.status == .misdirectedRequest)
        }
    }

    @Test("Responds to HEAD without a body and rejects a form that is too large")
    func headAndLimit() async throws {
        try await Self.withProvider { _, client in
            let head = try await client.send(.head, "/.well-known/openid-configuration")
            #expect(head.status == .ok)
            #expect(head.bytes.isEmpty)
            let large = try await client.post("/token", [("code", String(repeating: "x", count: 300_000))])
            #expect(large.status == .contentTooLarge)
            #expect(try await client.get("/").status == .ok)
        }
    }

    @Test("Applies token faults and breaks the connection for a truncated response")
    func faults() async throws {
        try await Self.withProvider { provider, client in
            let tokens = try await client.signIn(scope: "openid")
            let token = try #require(tokens["refresh_token"]?.string)
            provider.change { $0.tokenFaults = [.unavailable(retryAfter: 3), .truncatedResponse] }
            let unavailable = try await client.refresh(token)
            #expect(unavailable.status == .serviceUnavailable)
            #expect(unavailable.fields[.retryAfter] == "3")
            await #expect(throws: TransportError.self) { try await client.refresh(token) }
            #expect(provider.behavior.tokenFaults.isEmpty)
            #expect(try await client.refresh(token).status == .ok)
        }
    }

    @Test("Calls the hook with each path before the response")
    func hook() async throws {
        let paths = Mutex<[String]>([])
        var options = Self.options()
        options.behavior.beforeResponse = { path in paths.withLock { $0.append(path) } }
        try await Self.withProvider(options) { _, client in
            _ = try await client.get("/oauth2/v3/certs")
            _ = try await client.get("/drive/v3/files")
        }
        #expect(paths.withLock { $0 } == ["/oauth2/v3/certs", "/drive/v3/files"])
    }

    @Test("Serves TLS that only clients trusting its certificate authority accept", .covers(66))
    func tls() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/ca.pem"
        var options = Self.options()
        options.tls = true
        options.certificateAuthorityFile = file
        try await Self.withProvider(options) { provider, untrustingClient in
            #expect(provider.baseURL.hasPrefix("https://127.0.0.1:"))
            #expect(provider.certificateAuthorityFile == file)
            let written = try directory.read("ca.pem")
            #expect(String(decoding: written, as: UTF8.self) == provider.certificateAuthorityPEM)
            let client = LiveClient(provider, trusting: [file])
            let response = try await client.get("/.well-known/openid-configuration")
            #expect(response.status == .ok)
            await #expect(throws: TransportError.self) { try await untrustingClient.get("/") }
        }
    }

    @Test("Serves a file larger than a chunk from disk")
    func largeFile() async throws {
        let directory = try TemporaryDirectory()
        let bytes = (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try directory.write("large.bin", bytes)
        try await Self.withProvider(Self.options { $0.dataDirectory = directory.path }) { _, client in
            let scope = "https://www.googleapis.com/auth/drive.readonly"
            let token = try #require(try await client.signIn(scope: scope)["access_token"]?.string)
            let list = try await client.get("/drive/v3/files", token: token).json
            let id = try #require(list["files"]?.elements?.first?["id"]?.string)
            #expect(try await client.get("/drive/v3/files/\(id)?alt=media", token: token).bytes == bytes)
        }
    }

    @Test("Rejects invalid options with a typed error and advice")
    func badOptions() async throws {
        let changes: [(LocalProviderError.Code, (inout LocalProviderOptions) -> Void)] = [
            (.invalidOption, { $0.port = 70_000 }), (.invalidOption, { $0.accessTokenLifetime = 0 }),
            (.invalidOption, { $0.host = "a b" }), (.invalidOption, { $0.accounts += $0.accounts }),
            (.invalidOption, { $0.clients += $0.clients }), (.dataDirectory, { $0.dataDirectory = "/nowhere/at/all" }),
            (.cannotListen, { $0.host = "192.0.2.1" }),
            (
                .certificate,
                {
                    $0.tls = true
                    $0.certificateAuthorityFile = "/nowhere/at/all/ca.pem"
                }
            ),
        ]
        for (code, change) in changes {
            let options = Self.options(change)
            let error = await #expect(throws: LocalProviderError.self) { try await LocalProvider.start(options) }
            #expect(error?.code == code)
            #expect((error as (any LocalizedError)?)?.recoverySuggestion?.isEmpty == false)
        }
    }

    @Test("Rejects a port in use and closes its port on stop")
    func ports() async throws {
        try await Self.withProvider { provider, client in
            let options = Self.options { $0.port = provider.port }
            let error = await #expect(throws: LocalProviderError.self) { try await LocalProvider.start(options) }
            #expect(error?.code == .cannotListen)
            await provider.stop()
            await provider.stop()
            await #expect(throws: TransportError.self) { try await client.get("/") }
        }
    }
}
#endif
