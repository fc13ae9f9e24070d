// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import Testing
internal import TestPrograms

/// A django-oauth-toolkit server on loopback that was started for tests.
struct DjangoOAuthToolkitInstance: Sendable, Decodable {
    var issuer: String
    var user: String
    var password: String
    var deviceAuthorizationEndpoint: String
    var confidentialClient: ProviderClient
    var publicClient: ProviderClient
    var deviceClient: ProviderClient

    /// The instance that the tests of a suite share.
    @TaskLocal static var shared: DjangoOAuthToolkitInstance?

    /// Runs `body` with a new instance that has one user, three clients with this redirect URI, and the scopes
    /// `openid`, `email`, `profile`, `files` and `calendar`.
    static func with<Result: Sendable>(
        redirectURI: String,
        _ body: (DjangoOAuthToolkitInstance) async throws -> Result
    ) async throws -> Result {
        try await Self.script.with(["--redirect-uri", redirectURI], body)
    }

    private static let script = ProviderScript(name: "django-oauth-toolkit")

    /// A message that lists the programs missing to install the server, or nil.
    static let missing = ChildProgram.missing(["python3"])

    /// Whether the server's packages are installed or can be downloaded, determined once.
    static let isInstallable = Task { await Self.script.isInstallable() }

    /// Fetches a metadata document of the provider.
    func metadata(_ document: MetadataRequest.Document) async throws -> ServerMetadata {
        try await ProviderProgram.metadata(document, of: Issuer(self.issuer, insecure: .loopbackHTTP))
    }

    /// Returns both metadata documents merged, with `changes` and the endpoint that is in neither document.
    func metadata(_ changes: [String: JSONNode] = [:]) async throws -> ServerMetadata {
        var members: [String: JSONNode] = [
            "device_authorization_endpoint": .string(self.deviceAuthorizationEndpoint)
        ]
        for document in [MetadataRequest.Document.authorizationServer, .openIDConnect] {
            let found = try #require(try await self.metadata(document).document.members)
            for member in found { members[member.name] = .parsed(member.value) }
        }
        members.merge(changes) { $1 }
        return try ServerMetadata(members.map { (name: $0.key, value: $0.value) }, insecure: .loopbackHTTP)
    }
}

/// A trait that starts one instance for all tests of a suite.
struct SharedDjangoOAuthToolkit: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await DjangoOAuthToolkitInstance.with(redirectURI: WalkingUserAgent.redirectURI) { instance in
            try await DjangoOAuthToolkitInstance.$shared.withValue(instance) { try await function() }
        }
    }
}
