// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Testing
internal import TesseraDefaults
internal import TesseraLocalProvider
internal import TesseraOAuth
internal import TestPrograms

/// A local provider, an empty home directory, and the built commands.
///
/// Every run also checks that the output contains no secrets.
final class Scene: Sendable {
    let provider: LocalProvider
    let home: String
    let clientFile: String

    private init(_ options: LocalProviderOptions) async throws {
        self.home = NSTemporaryDirectory() + "tessera-command-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: self.home, withIntermediateDirectories: true)
        var options = options
        // Generating an RSA key takes a fifth of a second.
        options.signingAlgorithm = .es256
        self.provider = try await LocalProvider.start(options)
        self.clientFile = self.home + "/client_secret.json"
        try Data(self.provider.clientSecretFile.utf8).write(to: URL(filePath: self.clientFile))
    }

    /// Runs a test in a new scene and cleans up.
    static func play(
        _ options: LocalProviderOptions = LocalProviderOptions(),
        _ body: (Scene) async throws -> Void
    ) async throws {
        let scene = try await Scene(options)
        do { try await body(scene) } catch {
            await scene.clear()
            throw error
        }
        await scene.clear()
    }

    private func clear() async {
        await self.provider.stop()
        try? FileManager.default.removeItem(atPath: self.home)
    }

    /// The directory of the session store.
    var store: String { self.home + "/data/tessera/sessions" }
    /// The URL of the provider's Drive.
    var drive: String { self.provider.baseURL + "/drive/v3" }
    static let driveScope = "https://www.googleapis.com/auth/drive.readonly"

    /// The directory of the built executables, which also contains the test program.
    static let products: String = {
        var directory = URL(filePath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
        while directory.path.count > 1 {
            if FileManager.default.isExecutableFile(atPath: directory.path + "/tessera") { return directory.path }
            directory.deleteLastPathComponent()
        }
        return "."
    }()

    /// Returns a command that acts as the browser and completes the sign-in like a user.
    static func walk(_ arguments: String = "") -> String { "'\(Self.products)/tessera-provider' walk \(arguments)" }

    /// A transport for requests of the test itself.
    let transport: any HTTPTransport = PlatformDefaults.transport(insecure: .loopbackHTTP)

    func start(
        _ arguments: [String],
        program: String = Scene.products + "/tessera",
        environment: [String: String] = [:],
        inheriting descriptor: Int32? = nil
    ) throws -> ChildProgram {
        let variables = [
            "HOME": self.home, "XDG_CONFIG_HOME": self.home + "/config", "XDG_DATA_HOME": self.home + "/data",
        ]
        let inherited = ProcessInfo.processInfo.environment.filter { ["PATH", "LD_LIBRARY_PATH"].contains($0.key) }
        return try ChildProgram(
            [program] + arguments,
            environment: inherited.merging(variables) { $1 }.merging(environment) { $1 },
            readsErrors: true,
            inheriting: descriptor
        )
    }

    /// Runs `tessera` with the given arguments to completion.
    func run(
        _ arguments: String...,
        input: [UInt8] = [],
        environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> CommandOutput {
        try await self.run(arguments, input: input, environment: environment, sourceLocation: sourceLocation)
    }

    func run(
        _ arguments: [String],
        input: [UInt8] = [],
        environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> CommandOutput {
        let child = try self.start(arguments, environment: environment)
        child.send(input)
        child.closeInput()
        let errors = await child.errors.rest()
        let (output, status) = await child.finish()
        let result = CommandOutput(status: status, bytes: output, errors: String(decoding: errors, as: UTF8.self))
        let mayShowToken = ["token", "fetch", "export"].contains(arguments.first ?? "")
        for secret in ["ya29.", "1//", self.provider.clientSecret] {
            #expect(!result.errors.contains(secret), "standard error contains a secret", sourceLocation: sourceLocation)
            #expect(
                mayShowToken || !result.text.contains(secret),
                "standard output contains a secret",
                sourceLocation: sourceLocation
            )
        }
        return result
    }

    /// Runs `tessera login`, with options for the simulated user.
    @discardableResult
    func login(_ arguments: String..., walkOptions: String = "") async throws -> CommandOutput {
        try await self.login(arguments: arguments, walkOptions: walkOptions)
    }

    @discardableResult
    func login(arguments: [String], walkOptions: String = "") async throws -> CommandOutput {
        try await self.run(
            ["login", "--client", self.clientFile, "--allow-loopback-http", "--browser", Self.walk(walkOptions)]
                + arguments
        )
    }
}
