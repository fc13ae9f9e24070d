// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import Testing
internal import TestPrograms

/// A Glewlwyd server on loopback that was started for tests.
struct GlewlwydInstance: Sendable, Decodable {
    var issuer: String
    var user: String
    var password: String
    var confidentialClient: ProviderClient
    var publicClient: ProviderClient
    var keyClient: ProviderClient

    /// The instance that the tests of a suite share.
    @TaskLocal static var shared: GlewlwydInstance?

    /// Runs `body` with a new instance that has one user, three clients with this redirect URI, and the scopes
    /// `openid`, `email`, `profile`, `files` and `calendar`.
    ///
    /// With `demandsDPoPNonce`, every DPoP proof needs a new nonce.
    static func with<Result: Sendable>(
        redirectURI: String,
        demandsDPoPNonce: Bool = false,
        _ body: (GlewlwydInstance) async throws -> Result
    ) async throws -> Result {
        let options = ["--redirect-uri", redirectURI, "--dpop-nonce", "\(demandsDPoPNonce)"]
        return try await ProviderScript(name: "glewlwyd").with(options, body)
    }

    /// A message that lists the programs missing to start the server, or nil.
    static let missing = ChildProgram.missing(["glewlwyd", "sqlite3", "curl", "jq", "openssl"])
}

/// A trait that starts one instance for all tests of a suite.
struct SharedGlewlwyd: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await GlewlwydInstance.with(redirectURI: WalkingUserAgent.redirectURI) { instance in
            try await GlewlwydInstance.$shared.withValue(instance) { try await function() }
        }
    }
}
