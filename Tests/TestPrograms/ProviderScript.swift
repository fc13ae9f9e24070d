// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// A script of the project that starts a server from elsewhere, and says in JSON what there is to know about it.
public struct ProviderScript: Sendable {
    /// Its name in Scripts.
    var name: String

    /// Creates a script by its name in `Scripts`.
    public init(name: String) { self.name = name }

    /// Where it is.
    public var path: String {
        URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().appendingPathComponent("../../Scripts/\(self.name)").standardized.path
    }

    /// Runs `body` beside a fresh instance, which is stopped in any case.
    public func with<Instance: Decodable, Result>(
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
    public func run(_ words: String...) async throws -> [UInt8] { try await self.run(words) }

    private func run(_ words: [String]) async throws -> [UInt8] {
        let (output, status) = try await ChildProgram.run([self.path] + words)
        guard status == 0 else { throw ProviderScriptError(name: self.name, words: words, status: status) }
        return output
    }

    /// Whether `Scripts/NAME install` can fetch what it needs.
    public func isInstallable() async -> Bool { await (try? self.run("install")) != nil }
}

/// The script failed; it says why on its standard error.
public struct ProviderScriptError: Error {
    /// The script's name.
    public var name: String
    /// Its arguments.
    public var words: [String]
    /// Its exit status.
    public var status: Int32
}
