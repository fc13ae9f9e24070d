// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import Testing
internal import TestPrograms

/// A django-oauth-toolkit of its own on loopback, and what there is to know about it.
struct DjangoOAuthToolkitInstance: Sendable, Decodable {
    var issuer: String
    var user: String
    var password: String
    var deviceAuthorizationEndpoint: String
    var confidentialClient: ProviderClient
    var publicClient: ProviderClient
    var deviceClient: ProviderClient

    /// The one that a suite's tests share.
    @TaskLocal static var shared: DjangoOAuthToolkitInstance?

    /// Runs `body` beside a fresh instance that knows one user, three clients with this redirect URI, and the scopes
    /// `openid`, `email`, `profile`, `files` and `calendar`.
    static func with<Result: Sendable>(
        redirectURI: String,
        _ body: (DjangoOAuthToolkitInstance) async throws -> Result
    ) async throws -> Result {
        try await Self.script.with(["--redirect-uri", redirectURI], body)
    }

    private static let script = ProviderScript(name: "django-oauth-toolkit")

    /// Why it cannot even be tried here; nil where it can.
    static let missing = ChildProgram.missing(["python3"])

    /// Whether its packages are here or can be fetched; asked once.
    static let isInstallable = Task { await Self.script.isInstallable() }

    /// What a document of the provider says.
    func metadata(_ document: MetadataRequest.Document) async throws -> ServerMetadata {
        try await ProviderProgram.metadata(document, of: Issuer(self.issuer, insecure: .loopbackHTTP))
    }

    /// Its two documents as one, with the endpoint that is in neither, and changes.
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

/// One instance for all tests of a suite.
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
