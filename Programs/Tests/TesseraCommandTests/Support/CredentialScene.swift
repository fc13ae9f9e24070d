// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraLocalProvider

/// A scene with the cloud endpoints of the local provider and a service account's key file.
struct CredentialScene {
    let scene: Scene
    /// The path of the key file.
    let key: String

    static let worker = "worker@tessera-local-provider.iam.gserviceaccount.com"

    /// The service accounts, with keys that all tests share, because generating one takes a fifth of a second.
    private static let accounts = Result {
        try LocalServiceAccount.samples.map { account in
            var account = account
            account.key = try JWSSigningKey.generate(.rs256)
            return account
        }
    }

    /// Runs a test in a new scene.
    static func play(
        _ change: (inout LocalProviderOptions) -> Void = { _ in },
        _ body: (CredentialScene) async throws -> Void
    ) async throws {
        var options = LocalProviderOptions()
        options.cloud = LocalCloudOptions()
        options.cloud?.serviceAccounts = try Self.accounts.get()
        change(&options)
        try await Scene.play(options) { scene in
            let file = scene.provider.serviceAccountKeyFile() ?? ""
            try await body(CredentialScene(scene: scene, key: try scene.write(Array(file.utf8), to: "key.json")))
        }
    }

    /// The option that permits the provider's endpoints.
    var trust: [String] { ["--trusted-origin", self.scene.provider.baseURL] }
    /// The options that select the key file.
    var keyOptions: [String] { ["--credentials", self.key] + self.trust }
    /// The option that calls the provider's APIs.
    var root: [String] { ["--root-url", self.scene.provider.baseURL] }

    /// The environment of a machine without credentials.
    static let emptyEnvironment = ["NO_GCE_CHECK": "true"]
    /// The environment that names the key file.
    var keyEnvironment: [String: String] { ["GOOGLE_APPLICATION_CREDENTIALS": self.key, "NO_GCE_CHECK": "true"] }
    /// The environment of a machine with the provider's metadata server.
    var machineEnvironment: [String: String] {
        let host = self.scene.provider.metadataHost
        return ["GCE_METADATA_HOST": host, "GCE_METADATA_IP": host]
    }

    /// Returns the claims of the assertions that the token endpoint has received.
    func assertions() throws -> [JSONValue] {
        try self.scene.provider.cloudRequests.compactMap { request in
            let pairs = String(decoding: request.body, as: UTF8.self).split(separator: "&")
            guard let pair = pairs.first(where: { $0.hasPrefix("assertion=") }) else { return nil }
            return try CompactJWS(parsing: String(pair.dropFirst("assertion=".count))).claims()
        }
    }
}
