// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// A script in `Scripts` that starts a third-party server, and prints a description of it in JSON.
public struct ProviderScript: Sendable {
    /// The name in `Scripts`.
    var name: String

    /// Creates a value for the script with this name in `Scripts`.
    public init(name: String) { self.name = name }

    /// The path of the script.
    public var path: String {
        URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().appendingPathComponent("../../Scripts/\(self.name)").standardized.path
    }

    /// Runs `body` with a new instance of the server, which is always stopped afterwards.
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

    /// Runs the script with these arguments and returns its output.
    @discardableResult
    public func run(_ words: String...) async throws -> [UInt8] { try await self.run(words) }

    private func run(_ words: [String]) async throws -> [UInt8] {
        let (output, status) = try await ChildProgram.run([self.path] + words)
        guard status == 0 else { throw ProviderScriptError(name: self.name, words: words, status: status) }
        return output
    }

    /// Returns whether `Scripts/NAME install` can install the server.
    public func isInstallable() async -> Bool { await (try? self.run("install")) != nil }
}

/// The script failed, and printed the reason to standard error.
public struct ProviderScriptError: Error {
    /// The name of the script.
    public var name: String
    /// The arguments of the script.
    public var words: [String]
    /// The exit status of the script.
    public var status: Int32
}
