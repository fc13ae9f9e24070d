// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// A script of the project that starts a provider from elsewhere, and says in JSON what there is to know about it.
struct ProviderScript: Sendable {
    /// Its name in Scripts.
    var name: String

    private var path: String { Self.path(self.name) }

    /// Where a script of this name is.
    static func path(_ name: String) -> String {
        URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().appendingPathComponent("../../../Scripts/\(name)").standardized.path
    }

    /// Runs `body` beside a fresh instance, which is stopped in any case.
    func with<Instance: Decodable, Result>(
        _ options: [String],
        _ body: (Instance) async throws -> Result
    ) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tessera-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        func stop() async {
            _ = await (try? ChildProcess(self.path, ["stop", folder.path]))?.exitStatus
        }
        do {
            let (output, status) = try await ChildProcess(self.path, ["start", folder.path] + options).finish()
            guard status == 0 else { throw ProviderScriptError(name: self.name, status: status) }
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let result = try await body(decoder.decode(Instance.self, from: Data(output)))
            await stop()
            return result
        } catch {
            await stop()
            throw error
        }
    }

    /// Whether `Scripts/NAME install` can fetch what it needs.
    func isInstallable() async -> Bool {
        await (try? ChildProcess(self.path, ["install"]))?.exitStatus == 0
    }
}

/// The script did not start an instance; it says why on its standard error.
struct ProviderScriptError: Error {
    var name: String
    var status: Int32
}
