// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Synchronization
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider

@Suite("tessera doctor with credentials")
struct CredentialDoctorTests {
    private static func doctor(
        _ play: CredentialScene,
        _ words: [String],
        _ environment: [String: String] = [:]
    ) async throws -> DoctorOutput {
        try DoctorOutput(try await play.scene.run(["doctor", "--json"] + words, environment: environment))
    }

    @Test("Finds no problem with a key file or a machine")
    func well() async throws {
        try await CredentialScene.play { play in
            let file = try await Self.doctor(play, ["--adc"] + play.trust, play.keyEnvironment)
            #expect(file.status == 0)
            #expect(file.isWell == true)
            #expect(file.names == ["credentials", "file", "clock", "token"])
            #expect(file.words("credentials").contains("GOOGLE_APPLICATION_CREDENTIALS"))
            #expect(file.names.allSatisfy { file.state($0) == "ok" })
            let machine = try await Self.doctor(play, ["--adc"], play.machineEnvironment)
            #expect(machine.status == 0)
            #expect(machine.names == ["credentials", "clock", "token"])
            let offline = try await Self.doctor(play, ["--offline"] + play.keyOptions)
            #expect(offline.status == 0)
            #expect(offline.names == ["credentials", "file", "token"])
            #expect(offline.state("token") == "unknown")
        }
    }

    @Test("Reports a rejected token request, after a warning about the file")
    func rejected() async throws {
        try await CredentialScene.play { play in
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: play.key)
            let words = play.keyOptions + ["--subject", "nobody@example.com"]
            let output = try await Self.doctor(play, words)
            #expect(output.status == 3)
            #expect(output.isWell == false)
            #expect(output.state("file") == "unknown")
            #expect(output.text("file").contains("chmod 600"))
            #expect(output.state("token") == "problem")
            #expect(output.text("token").contains("--subject"), "\(output.text("token"))")
        }
    }

    @Test("Reports a wrong clock")
    func clock() async throws {
        let offset = Mutex(0)
        try await CredentialScene.play {
            $0.now = { Date().addingTimeInterval(Double(offset.withLock { $0 })) }
        } _: { play in
            offset.withLock { $0 = -7_200 }
            play.scene.provider.change { $0.dateOffset = -7_200 }
            let output = try await Self.doctor(play, play.keyOptions)
            #expect(output.status == 2)
            #expect(output.state("clock") == "problem")
            #expect(output.findings("clock") == ["wrongClock certain"])
        }
    }

    @Test("Reports why there are no usable credentials")
    func unusable() async throws {
        try await CredentialScene.play { play in
            let none = try await Self.doctor(play, ["--adc"], CredentialScene.emptyEnvironment)
            #expect(none.status == 6)
            #expect(none.names == ["credentials"])
            #expect(none.text("credentials").contains("gcloud auth application-default login"))
            let untrusted = try await Self.doctor(play, ["--credentials", play.key])
            #expect(untrusted.status == 2)
            #expect(untrusted.text("credentials").contains("--trusted-origin"))
            let provider = try await play.scene.run("doctor", "--adc", "--issuer", "https://example.com")
            #expect(provider.status == 2)
        }
    }
}
