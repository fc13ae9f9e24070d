// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider

@Suite("tessera doctor")
struct DoctorTests {
    @Test(
        "Exits with 0 for a working session and does not use its refresh token"
    )
    func well() async throws {
        try await DoctorScene.play(rotates: true) { play in
            let before = play.scene.provider.refreshRequestCount
            let text = try await play.scene.run("doctor")
            #expect(text.status == 0, "\(text.text)\(text.errors)")
            #expect(text.text.hasSuffix("\n\nNo problems were found.\n"))
            let signs = text.text.split(separator: "\n").dropLast().map { $0.prefix(1) }
            #expect(signs == Array(repeating: "✓", count: 7), "\(text.text)")
            // One request with an invalid refresh token checks whether the provider knows the client.
            #expect(play.scene.provider.refreshRequestCount == before + 1)
            let output = try await play.doctor()
            #expect(output.isWell == true)
            #expect(output.names == ["clock", "network", "tls", "provider", "store", "client", "account"])
            // The rotating refresh token was not used.
            #expect(try await play.scene.run("token", "--refresh").status == 0)
            let refreshed = try await play.doctor("--refresh")
            #expect(refreshed.words("account").hasSuffix(": refreshed just now"))
            #expect(try await play.scene.run("token", "--refresh").status == 0)
        }
    }

    @Test("Explains the seven-day limit of a client in testing")
    func testing() async throws {
        try await DoctorScene.play(at: Self.provider { $0.clientsAreInTesting = true }) { play in
            try await play.pass(days: 5)
            let soon = try await play.doctor()
            #expect(soon.status == 0)
            #expect(soon.state("account") == "unknown")
            #expect(soon.findings("account") == ["testingClient likely"])
            #expect(try await play.scene.run("token", "--refresh").status == 0)
            try await play.pass(days: 2.2)
            let failed = try await play.scene.run("token", "--refresh")
            #expect(failed.status == 6)
            #expect(
                failed.errors.contains("refresh tokens issued to a client in testing expire 7 days after consent"),
                "\(failed.errors)"
            )
            #expect(failed.errors.contains("Publish the client"))
            try await Self.expect(play, ["testingClient likely", "revoked possible", "tooManySignIns possible"])
        }
    }

    @Test("Recognizes a client in testing by the time of its last refresh")
    func silentTesting() async throws {
        try await DoctorScene.play { play in
            try await play.pass(days: 6)
            #expect(try await play.scene.run("token", "--refresh").status == 0)
            try await play.pass(days: 1.1)
            play.scene.provider.revokeAll()
            #expect(try await play.scene.run("token", "--refresh").status == 6)
            let output = try await Self.expect(
                play,
                ["testingClient likely", "revoked possible", "tooManySignIns possible"]
            )
            #expect(output.text("account").contains("the last successful refresh was 6 days after consent"))
        }
    }

    @Test("Explains a session that was idle for more than six months")
    func idle() async throws {
        try await DoctorScene.play { play in
            try await play.pass(days: 20)
            #expect(try await play.scene.run("token", "--refresh").status == 0)
            try await play.pass(days: 190)
            let failed = try await play.scene.run("token")
            #expect(failed.status == 6)
            #expect(failed.errors.contains("not used for 190 days"), "\(failed.errors)")
            try await Self.expect(play, ["idle likely", "revoked possible", "tooManySignIns possible"])
        }
    }

    @Test("Explains a time-limited grant")
    func timeLimited() async throws {
        try await DoctorScene.play(at: Self.provider { $0.grantLifetime = 86_400 }) { play in
            try await play.pass(days: 1.5)
            let failed = try await play.scene.run("token", "--json")
            #expect(failed.status == 6)
            let error = try failed.json()["error"]
            #expect(error?["code"]?.string == "refused")
            #expect(error?["findings"]?.elements?.first?["code"]?.string == "timeLimitedGrant")
            try await Self.expect(play, ["timeLimitedGrant certain"])
        }
    }

    @Test(
        "Explains a session that exceeds the provider's limit"
    )
    func tooMany() async throws {
        try await DoctorScene.play(at: Self.provider { $0.signInLimit = 2 }) { play in
            for name in ["second", "third"] {
                let other = "file:\(play.scene.home)/\(name)"
                #expect(try await play.scene.login("--store", other, "--scope", Scene.driveScope).status == 0)
            }
            #expect(try await play.scene.run("token", "--refresh").status == 6)
            try await Self.expect(play, ["revoked possible", "tooManySignIns possible"])
            let living = try await play.doctor("--store", "file:\(play.scene.home)/third")
            #expect(living.status == 0)
        }
    }

    @Test("Explains revoked access")
    func revoked() async throws {
        try await DoctorScene.play { play in
            play.scene.provider.revokeAll()
            #expect(try await play.scene.run("token", "--refresh").status == 6)
            try await Self.expect(play, ["revoked possible", "tooManySignIns possible"])
        }
        try await DoctorScene.play(scopes: ["https://mail.google.com/"]) { play in
            play.scene.provider.revokeAll()
            #expect(try await play.scene.run("token", "--refresh").status == 6)
            try await Self.expect(
                play,
                ["passwordChanged possible", "revoked possible", "tooManySignIns possible"]
            )
        }
    }

    @Test("Explains a reauthentication policy (invalid_rapt)")
    func reauthentication() async throws {
        try await DoctorScene.play { play in
            play.scene.provider.change { $0.refreshRefusal = .reauthentication }
            let failed = try await play.scene.run("token", "--refresh")
            #expect(failed.status == 6)
            #expect(failed.errors.contains("(invalid_rapt)"), "\(failed.errors)")
            try await Self.expect(play, ["reauthentication certain"])
        }
    }

    @Test(
        "Explains a deleted client, a changed secret and an administrator's policy",
        arguments: [
            (.deletedClient, "clientDeleted", "client"), (.changedSecret, "clientRefused", "client"),
            (.adminPolicy, "adminPolicy", "account"),
        ] as [(LocalProviderOptions.RefreshRefusal, String, String)]
    )
    func refusal(_ refusal: LocalProviderOptions.RefreshRefusal, _ code: String, _ check: String) async throws {
        try await DoctorScene.play { play in
            play.scene.provider.change { $0.refreshRefusal = refusal }
            let failed = try await play.scene.run("token", "--refresh", "--json")
            #expect(failed.status == 3, "\(failed.errors)")
            #expect(try failed.json()["error"]?["findings"]?.elements?.first?["code"]?.string == code)
            let output = try await play.doctor("--refresh")
            #expect(output.status == 3)
            #expect(output.findings(check) == ["\(code) certain"])
            play.scene.provider.change { $0.refreshRefusal = nil }
            #expect(try await play.scene.run("token", "--refresh").status == 0)
        }
    }

    @Test("Explains a rotating token with two owners")
    func refreshTokenReuse() async throws {
        try await DoctorScene.play(rotates: true) { play in
            let copy = "file:\(play.scene.home)/copy"
            #expect(try await play.scene.run("store", "copy", "file:" + play.scene.store, copy).status == 0)
            #expect(try await play.scene.run("token", "--refresh", "--store", copy).status == 0)
            #expect(try await play.scene.run("token", "--refresh").status == 6)
            let output = try await play.doctor()
            #expect(output.status == 6)
            #expect(output.findings("account").first == "twoOwners likely")
        }
    }

    @Test(
        "Reports how far the clock is ahead or behind",
        arguments: [(-7_000, "ahead of"), (650_000, "behind")]
    )
    func clock(_ offset: Int, _ words: String) async throws {
        try await DoctorScene.play { play in
            play.scene.provider.change { $0.dateOffset = offset }
            let output = try await play.doctor()
            #expect(output.status == 2)
            #expect(output.state("clock") == "problem")
            #expect(output.findings("clock") == ["wrongClock certain"])
            let span = offset < 0 ? "116 minutes" : "7 days"
            #expect(output.words("clock").contains("\(span) \(words) the provider's"), "\(output.words("clock"))")
            #expect(output.state("account") == "ok")
        }
    }

    @Test("Reports an unreachable provider first, and still checks accounts")
    func unreachable() async throws {
        try await DoctorScene.play { play in
            await play.scene.provider.stop()
            let output = try await play.doctor()
            #expect(output.status == 5)
            #expect(output.findings("network") == ["unreachable certain"])
            #expect(["clock", "tls", "provider", "client"].allSatisfy { output.state($0) == "unknown" })
            #expect(output.state("account") == "ok")
            #expect(try await play.doctor("--offline").names == ["store", "account"])
        }
    }

    @Test("Checks --issuer without an account, and reports damaged sessions and unknown names")
    func withoutAccount() async throws {
        try await Scene.play { scene in
            let signedOut = try DoctorOutput(try await scene.run("doctor", "--json"))
            #expect(signedOut.status == 0)
            #expect(signedOut.names == ["network", "store", "account"])
            let named = try DoctorOutput(
                try await scene.run("doctor", "--json", "--issuer", scene.provider.issuer, "--allow-loopback-http")
            )
            #expect(named.status == 0)
            #expect(named.state("provider") == "ok")
            #expect(try await scene.run("doctor", "--issuer", "https://x.example", "--offline").status == 2)
            try await scene.login()
            #expect(try await scene.run("doctor", "--account", "nobody").status == 6)
            let files = try FileManager.default.contentsOfDirectory(atPath: scene.store)
            let path = scene.store + "/" + (try #require(files.first { $0.hasSuffix(".session") }))
            var bytes = try Data(contentsOf: URL(filePath: path))
            bytes[bytes.endIndex - 1] ^= 1
            try bytes.write(to: URL(filePath: path))
            let damaged = try DoctorOutput(try await scene.run("doctor", "--json"))
            #expect(damaged.status == 7)
            #expect(damaged.findings("account") == ["storeDamaged certain"])
        }
    }

    private static func provider(
        _ change: (inout LocalProviderOptions.Behavior) -> Void
    ) -> LocalProviderOptions.Behavior {
        var behavior = LocalProviderOptions.Behavior()
        change(&behavior)
        return behavior
    }

    /// Expects that the session has ended for these reasons, with a correct clock and a known client.
    @discardableResult
    private static func expect(
        _ play: DoctorScene,
        _ findings: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> DoctorOutput {
        let output = try await play.doctor()
        #expect(output.status == 6, sourceLocation: sourceLocation)
        #expect(output.isWell == false, sourceLocation: sourceLocation)
        #expect(output.findings("account") == findings, sourceLocation: sourceLocation)
        #expect(output.state("client") == "ok", sourceLocation: sourceLocation)
        #expect(output.state("clock") == "ok", sourceLocation: sourceLocation)
        return output
    }
}
