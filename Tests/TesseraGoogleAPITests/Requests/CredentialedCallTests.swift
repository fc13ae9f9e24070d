// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraGoogle
internal import TesseraGoogleAPI
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

@Suite("API calls with credentials without a user")
final class CredentialedCallTests: Sendable {
    private let network = ScriptedTransport { _ in .json("{}") }
    private let tokens = Mutex(0)

    private var runtime: OAuthRuntime { .testing(transport: self.network, clock: TestClock()) }

    private static func options(
        universeDomain: String? = nil,
        quotaProject: String? = nil
    ) -> GoogleCredentialsOptions {
        GoogleCredentialsOptions(
            environment: GoogleEnvironment(variables: [:], homeDirectory: nil),
            universeDomain: universeDomain,
            quotaProject: quotaProject
        )
    }

    /// Returns credentials that count the tokens that the client requests.
    private func credentials(_ options: GoogleCredentialsOptions) throws -> GoogleCredentials {
        try GoogleCredentials.token(options: options, runtime: self.runtime) { _ in
            self.tokens.withLock { $0 += 1 }
            return AccessToken(Secret("ya29.token"), expiresAt: nil)
        }
    }

    /// Sends a call and returns its request.
    private func sent(
        _ credentials: GoogleCredentials,
        settings: APISettings = APISettings()
    ) async throws -> RecordedRequest {
        try await NotesV1(credentials: credentials, settings: settings).list().execute()
        return try #require(self.network.requests.last)
    }

    private static func field(_ name: String, _ request: RecordedRequest) throws -> String? {
        request.head.headerFields[try #require(HTTPField.Name(name))]
    }

    @Test("Sends the token and the quota project of the credentials")
    func token() async throws {
        let request = try await self.sent(self.credentials(Self.options(quotaProject: "theirs")))
        #expect(request.head.authority == "notes.googleapis.com")
        #expect(request.head.headerFields[.authorization] == "Bearer ya29.token")
        #expect(try Self.field("X-Goog-User-Project", request) == "theirs")
        #expect(try Self.field("X-Goog-Api-Key", request) == nil)
    }

    @Test("Prefers the quota project and the API key of the settings")
    func settings() async throws {
        let settings = APISettings(apiKey: Secret("my-key"), quotaProject: "mine")
        var request = try await self.sent(self.credentials(Self.options(quotaProject: "theirs")), settings: settings)
        #expect(try Self.field("X-Goog-User-Project", request) == "mine")
        let key = try GoogleCredentials.apiKey(Secret("their-key"), options: Self.options(), runtime: self.runtime)
        request = try await self.sent(key, settings: settings)
        #expect(try Self.field("X-Goog-Api-Key", request) == "my-key")
    }

    @Test("Sends an API key instead of a token")
    func apiKey() async throws {
        let key = try GoogleCredentials.apiKey(Secret("key"), options: Self.options(), runtime: self.runtime)
        let request = try await self.sent(key)
        #expect(try Self.field("X-Goog-Api-Key", request) == "key")
        #expect(request.head.headerFields[.authorization] == nil)
    }

    @Test("Follows a redirect within the origin with an API key, and none to another origin")
    func redirects() async throws {
        let locations = Mutex(["/notes/v1/moved", "https://other.example/notes"])
        let network = ScriptedTransport { _ in
            guard let location = locations.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return .json("{}") }
            return .status(.temporaryRedirect, headerFields: [.location: location])
        }
        let runtime = OAuthRuntime.testing(transport: network, clock: TestClock())
        let key = try GoogleCredentials.apiKey(Secret("key"), options: Self.options(), runtime: runtime)
        await #expect(throws: (any Error).self) { try await NotesV1(credentials: key).list().execute() }
        #expect(network.requests.map(\.path).last == "/notes/v1/moved")
        #expect(network.requests.count == 2)
        #expect(try network.requests.allSatisfy { try Self.field("X-Goog-Api-Key", $0) == "key" })
    }

    @Test("Sends neither a token nor a key with anonymous credentials")
    func anonymous() async throws {
        let request = try await self.sent(.anonymous(options: Self.options(), runtime: self.runtime))
        #expect(try Self.field("X-Goog-Api-Key", request) == nil)
        #expect(request.head.headerFields[.authorization] == nil)
    }

    @Test("Sends calls to the universe that the credentials' options name")
    func universe() async throws {
        let request = try await self.sent(self.credentials(Self.options(universeDomain: "example.com")))
        #expect(request.head.authority == "notes.example.com")
        #expect(request.head.headerFields[.authorization] == "Bearer ya29.token")
    }

    @Test("Fails before it requests a token if the API belongs to another universe", arguments: [nil, "example.org"])
    func otherUniverse(_ universe: String?) async throws {
        let credentials = try self.credentials(Self.options(universeDomain: universe))
        let client = NotesV1(credentials: credentials, settings: APISettings(universeDomain: "example.com"))
        await #expect(throws: (any Error).self) { try await client.list().execute() }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        await #expect(throws: (any Error).self) { try await client.get("a").download(to: file) }
        await #expect(throws: (any Error).self) { try await client.get("a").media() }
        #expect(self.tokens.withLock { $0 } == 0)
        #expect(self.network.requests.isEmpty)
    }
}
