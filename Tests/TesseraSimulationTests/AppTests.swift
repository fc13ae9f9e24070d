// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import Testing

@testable internal import TesseraSimulation

@Suite("Apps that the system suspends")
struct AppTests {
    private static func seconds(_ simulation: Simulation) -> Double { simulation.clock.now.offset / .seconds(1) }

    @Test("An app in the background is suspended within 5 seconds, and continues in the foreground")
    func idle() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let events = try Simulation.run(seed: 1) { simulation in
            let machine = simulation.makeMachine()
            let (app, other) = (machine.start(isApp: true), machine.start())
            for process in [app, other] { process.enterBackground(seconds: 60) }
            try await other.clock.sleep(for: .seconds(10))
            #expect(Self.seconds(simulation) == 10)
            try await app.clock.sleep(for: .seconds(1))
            #expect(Self.seconds(simulation) == 60)
        }
        let actions = events.map(\.action).suffix(3)
        #expect(Array(actions) == [.enteredBackground(seconds: 60), .suspended, .enteredForeground])
        #expect(events.first { $0.action == .suspended }.map { $0.time <= 5_000_000_000 } == true)
    }

    @Test("An activity delays suspension until it ends", arguments: UInt64(1)...5)
    func activity(seed: UInt64) throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let events = try Simulation.run(seed: seed) { simulation in
            let app = simulation.makeMachine().start(isApp: true)
            let end = try #require(await app.runtime.suspension?.begin("Test", {}))
            app.enterBackground(seconds: 60)
            #expect(app.runtime.suspension?.isInBackground() == true)
            try await app.clock.sleep(for: .milliseconds(5_900))
            end()
        }
        // Depending on the seed, the app is not suspended in its first seconds in the background.
        let suspended = try #require(events.first { $0.action == .suspended }).time
        #expect(suspended == 5_900_000_000)
    }

    @Test("An activity that begins after the time has run out is not allowed until the app is in the foreground")
    func expired() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        try Simulation.run(seed: 1) { simulation in
            let app = simulation.makeMachine().start(isApp: true)
            let suspension = try #require(app.runtime.suspension)
            let log = Log()
            let end = try #require(await suspension.begin("Test") { log.add("notified") })
            app.enterBackground(seconds: 60)
            while log.lines.isEmpty { try await simulation.clock.sleep(for: .seconds(1)) }
            #expect(Self.seconds(simulation) <= 31)
            #expect(await suspension.begin("Late", {}) == nil)
            end()
            await app.waitUntilResumed()
            #expect(Self.seconds(simulation) == 60)
            #expect(!suspension.isInBackground())
            let last = try #require(await suspension.begin("Foreground", {}))
            last()
        }
    }

    @Test("An activity that continues after its time is reported")
    func endless() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let violation = #expect(throws: InvariantViolation.self) {
            try Simulation.run(seed: 1) { simulation in
                let app = simulation.makeMachine().start(isApp: true)
                _ = await app.runtime.suspension?.begin("Test", {})
                app.enterBackground(seconds: 60)
                try await simulation.clock.sleep(for: .seconds(60))
            }
        }
        #expect(violation?.invariant == .suspendedAppHoldsNothing)
    }

    @Test("An app that is suspended while it holds the lock of an account is reported")
    func locked() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let violation = #expect(throws: InvariantViolation.self) {
            try Simulation.run(seed: 1) { simulation in
                let app = simulation.makeMachine().start(isApp: true)
                app.enterBackground(seconds: 60)
                try await app.encryptedFileStore()
                    .update(Account(named: "ada")) { _ in
                        try await app.clock.sleep(for: .seconds(20))
                    }
            }
        }
        #expect(violation?.detail == "process 1 held the lock of an account when it was suspended")
    }

    @Test("A refresh whose time runs out releases the lock, and saves its tokens in the foreground")
    func refresh() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let events = try Simulation.run(seed: 1) { simulation in
            let app = simulation.makeMachine().start(isApp: true)
            let provider = try simulation.provider.provider
            let signIn = SignIn(provider, runtime: app.runtime, store: app.encryptedFileStore())
            let consent = simulation.provider.makeConsent(of: "ada")
            let session = try await signIn.adopt(consent, options: ProgramCalls.options("ada"))
            simulation.networkFaults.slowRequest = 100
            let refresh = simulation.start { try await session.refresh() }
            try await simulation.clock.sleep(for: .milliseconds(500))
            app.enterBackground(seconds: 58)
            _ = try await refresh.value
        }
        let names = events.compactMap { event -> String? in
            switch event.action {
            case .suspended: "suspended"
            case .enteredForeground: "foreground"
            case .refreshed: "refreshed"
            case .saved(let tokens, _): "saved \(tokens.refresh?.number ?? 0)"
            default: nil
            }
        }
        #expect(names.prefix(3) == ["refreshed", "saved 3", "suspended"])
        #expect(names.suffix(2) == ["foreground", "saved 5"])
    }
}

@Suite("Busy threads")
struct BusyThreadTests {
    @Test("Code waits up to 300 milliseconds whenever it resumes, until threads are free")
    func waits() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let events = try Simulation.run(seed: 1) { simulation in
            simulation.setThreadsBusy(percent: 100)
            var times: [Duration] = []
            for _ in 0..<5 {
                await Task.yield()
                times.append(simulation.clock.now.offset)
            }
            // The task resumes after it has yielded, and again when it returns to its executor.
            let waits = zip(times, times.dropFirst()).map { $1 - $0 }
            #expect(waits.allSatisfy { $0 > .zero && $0 <= .milliseconds(600) }, "\(waits)")
            for _ in 0..<2 { simulation.setThreadsBusy(percent: 0) }
            await Task.yield()
            let free = simulation.clock.now
            await Task.yield()
            #expect(simulation.clock.now == free)
        }
        #expect(events.map(\.action) == [.threadsBusy, .threadsFree])
    }
}
