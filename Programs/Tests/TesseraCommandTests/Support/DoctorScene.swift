// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraStores
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider

/// A scene with a signed-in user whose session a test can age, both at the provider and in the store.
struct DoctorScene {
    let scene: Scene

    /// Signs in and runs a test in a new scene.
    static func play(
        scopes: [String] = [Scene.driveScope],
        rotates: Bool = false,
        at behavior: LocalProviderOptions.Behavior = LocalProviderOptions.Behavior(),
        _ body: (DoctorScene) async throws -> Void
    ) async throws {
        var options = LocalProviderOptions()
        options.rotateRefreshTokens = rotates
        options.additionalScopes = ["https://mail.google.com/": "Read mail"]
        options.behavior = behavior
        try await Scene.play(options) { scene in
            let login = try await scene.login(arguments: scopes.flatMap { ["--scope", $0] })
            guard login.status == 0 else { throw SceneFailure("no sign-in: \(login.errors)") }
            try await body(DoctorScene(scene: scene))
        }
    }

    /// Ages the session by a number of days, at the provider and in the store.
    func pass(days: Double) async throws {
        self.scene.provider.ageRefreshTokens(by: Int(days * 86_400))
        let store = EncryptedFileStore(
            directory: self.scene.store,
            keyDirectory: self.scene.home + "/config/tessera/keys"
        )
        for account in try await store.list() {
            try await store.update(account) { entry in
                guard var record = try await entry.load() else { return }
                func earlier(_ date: Date) -> Date { date.addingTimeInterval(-days * 86_400) }
                record.history.consentedAt = earlier(record.history.consentedAt)
                record.history.lastRefreshAt = record.history.lastRefreshAt.map(earlier)
                record.history.refreshTokenExpiresAt = record.history.refreshTokenExpiresAt.map(earlier)
                if let tokens = record.tokens { record.tokens?.obtainedAt = earlier(tokens.obtainedAt) }
                record.generation += 1
                try await entry.save(record)
            }
        }
    }

    /// Runs `tessera doctor --json`.
    func doctor(_ arguments: String..., environment: [String: String] = [:]) async throws -> DoctorOutput {
        let output = try await self.scene.run(["doctor", "--json"] + arguments, environment: environment)
        return try DoctorOutput(output)
    }
}

/// The output of `tessera doctor --json`.
struct DoctorOutput {
    let status: Int32
    let isWell: Bool?
    private let checks: [JSONValue]

    init(_ output: CommandOutput) throws {
        self.status = output.status
        let object = try output.json()
        self.isWell = object["isWell"]?.bool
        self.checks = object["checks"]?.elements.map(Array.init) ?? []
    }

    /// The names of the checks, in order.
    var names: [String] { self.checks.compactMap { $0["check"]?.string } }

    func state(_ name: String) -> String? { self.check(name)?["state"]?.string }
    func words(_ name: String) -> String { self.check(name)?["words"]?.string ?? "" }

    /// Returns the code and certainty of each finding of a check.
    func findings(_ name: String) -> [String] {
        (self.check(name)?["findings"]?.elements.map(Array.init) ?? [])
            .map { "\($0["code"]?.string ?? "") \($0["certainty"]?.string ?? "")" }
    }

    /// Returns all findings of a check as text.
    func text(_ name: String) -> String {
        (self.check(name)?["findings"]?.elements.map(Array.init) ?? [])
            .map { "\($0["cause"]?.string ?? "") \($0["fix"]?.string ?? "")" }.joined(separator: "\n")
    }

    private func check(_ name: String) -> JSONValue? { self.checks.first { $0["check"]?.string == name } }
}
