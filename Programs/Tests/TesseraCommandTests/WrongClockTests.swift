// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestTraits
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider
internal import Synchronization

@Suite("tessera with a wrong clock")
struct WrongClockTests {
    @Test(
        "Refreshes once with a wrong clock and names the clock as the cause",
        .covers(145),
        arguments: [(-630, "10 minutes behind"), (630, "10 minutes ahead of")]
    )
    func token(_ ahead: Int, _ words: String) async throws {
        // The test changes the provider's clock instead of the machine's clock.
        let offset = Mutex(0)
        var options = LocalProviderOptions()
        options.rotateRefreshTokens = true
        options.now = { Date().addingTimeInterval(Double(offset.withLock { $0 })) }
        try await Scene.play(options) { scene in
            try await scene.login()
            offset.withLock { $0 = -ahead }
            scene.provider.change { $0.dateOffset = -ahead }
            let fresh = try await scene.run("token")
            #expect(fresh.status == 0)
            #expect(fresh.errors.isEmpty)
            #expect(scene.provider.refreshRequestCount == 0)

            let refreshed = try await scene.run("token", "--refresh")
            #expect(refreshed.status == 0)
            #expect(refreshed.errors.contains("This computer's clock is"))
            #expect(refreshed.errors.contains(words), "\(refreshed.errors)")
            for arguments in [[], ["--json"], ["--min-validity", "5m"], ["--id-token"]] {
                let later = try await scene.run(["token"] + arguments)
                #expect(later.status == 0, "\(later.errors)")
                #expect(later.errors.isEmpty)
            }
            #expect(try await scene.run("token").line == refreshed.line)
            #expect(scene.provider.refreshRequestCount == 1)

            let doctor = try await scene.run("doctor", "--json")
            #expect(doctor.status == 2)
            #expect(doctor.text.contains("wrongClock"))
            guard ahead < 0 else { return }
            let login = try await scene.login("--json")
            #expect(login.status == 4)
            #expect(login.text.contains("s ahead by this machine's clock"))
            #expect(login.text.contains("wrongClock"))
        }
    }
}
