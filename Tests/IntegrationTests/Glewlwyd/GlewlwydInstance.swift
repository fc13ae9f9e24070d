// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// A Glewlwyd of its own on loopback, and what there is to know about it.
struct GlewlwydInstance: Sendable, Decodable {
    var issuer: String
    var user: String
    var password: String
    var confidentialClient: Client
    var publicClient: Client

    struct Client: Sendable, Decodable {
        var clientId: String
        var clientSecret: String?
    }

    /// Runs `body` beside a fresh instance that knows one user, two clients with this redirect URI, and the scopes
    /// `openid`, `email`, `profile`, `files` and `calendar`.
    static func with<Result: Sendable>(
        redirectURI: String,
        _ body: (GlewlwydInstance) async throws -> Result
    ) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tessera-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().appendingPathComponent("../../../Scripts/glewlwyd").standardized.path

        func stop() async {
            _ = await (try? ChildProcess(script, ["stop", folder.path]))?.exitStatus
        }
        do {
            let starting = try ChildProcess(script, ["start", folder.path, "--redirect-uri", redirectURI])
            let (output, status) = await starting.finish()
            guard status == 0 else { throw GlewlwydError(status: status) }
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let result = try await body(decoder.decode(GlewlwydInstance.self, from: Data(output)))
            await stop()
            return result
        } catch {
            await stop()
            throw error
        }
    }
}

/// Scripts/glewlwyd did not start an instance; it says why on its standard error.
struct GlewlwydError: Error {
    var status: Int32
}
