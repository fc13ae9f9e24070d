// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// A script of the project that starts a server from elsewhere, and says in JSON what there is to know about it.
package struct ProviderScript: Sendable {
    /// Its name in Scripts.
    var name: String

    package init(name: String) { self.name = name }

    /// Where it is.
    package var path: String {
        URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().appendingPathComponent("../../Scripts/\(self.name)").standardized.path
    }

    /// Runs `body` beside a fresh instance, which is stopped in any case.
    package func with<Instance: Decodable, Result>(
        _ options: [String],
        _ body: (Instance) async throws -> Result
    ) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tessera-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        func stop() async { _ = try? await self.run("stop", folder.path) }
        do {
            let output = try await self.run(["start", folder.path] + options)
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

    /// Lets it do what these words say; what it printed.
    @discardableResult
    package func run(_ words: String...) async throws -> [UInt8] { try await self.run(words) }

    private func run(_ words: [String]) async throws -> [UInt8] {
        let (output, status) = try await ChildProgram.run([self.path] + words)
        guard status == 0 else { throw ProviderScriptError(name: self.name, words: words, status: status) }
        return output
    }

    /// Whether `Scripts/NAME install` can fetch what it needs.
    package func isInstallable() async -> Bool { await (try? self.run("install")) != nil }
}

/// The script failed; it says why on its standard error.
package struct ProviderScriptError: Error {
    package var name: String
    package var words: [String]
    package var status: Int32
}
