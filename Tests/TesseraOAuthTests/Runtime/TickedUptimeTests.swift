// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
internal import Synchronization
internal import Testing
internal import TesseraTesting

@testable internal import TesseraOAuth

@Suite("Coarse uptime")
struct TickedUptimeTests {
    /// A source of ticks and uptimes that the test controls.
    private final class UptimeSource: Sendable {
        let tick = Atomic<Int64>(0)
        let uptime = Atomic<Int64>(0)
        let reads = Atomic<Int>(0)

        func make() -> TickedUptime {
            TickedUptime(
                tick: { self.tick.load(ordering: .relaxed) },
                uptime: {
                    self.reads.wrappingAdd(1, ordering: .relaxed)
                    return self.uptime.load(ordering: .relaxed)
                }
            )
        }
    }

    @Test("Reads the uptime once per tick")
    func readsOnce() {
        let source = UptimeSource()
        let ticked = source.make()
        source.uptime.store(7, ordering: .relaxed)
        #expect(ticked() == 7)
        source.uptime.store(8, ordering: .relaxed)
        #expect(ticked() == 7)
        #expect(source.reads.load(ordering: .relaxed) == 1)
    }

    @Test("The next tick includes the time that the system slept")
    func countsSleep() {
        let source = UptimeSource()
        let ticked = source.make()
        #expect(ticked() == 0)
        source.tick.store(1, ordering: .relaxed)
        source.uptime.store(3_600_000_000_000, ordering: .relaxed)
        #expect(ticked() == 3_600_000_000_000)
    }

    @Test("Never replaces an uptime with an earlier one")
    func neverGoesBack() {
        let source = UptimeSource()
        let ticked = source.make()
        source.uptime.store(9, ordering: .relaxed)
        #expect(ticked() == 9)
        source.tick.store(1, ordering: .relaxed)
        source.uptime.store(8, ordering: .relaxed)
        #expect(ticked() == 9)
    }

    @Test("Follows the exact uptime and never decreases in concurrent tasks")
    func followsTheMachine() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var last = Int64.min
                    for _ in 0..<20_000 {
                        let before = SystemUptime.nanoseconds()
                        let coarse = SystemUptime.coarse()
                        #expect(coarse >= last)
                        #expect(coarse <= SystemUptime.nanoseconds())
                        // A tick takes at most 10 milliseconds, but a suspended machine ticks late.
                        #expect(coarse > before - 1_000_000_000)
                        last = coarse
                    }
                }
            }
        }
    }

    @Test("A runtime with a replaced uptime also uses it for the coarse uptime")
    func followsTheReplacement() {
        var runtime = OAuthRuntime(transport: ScriptedTransport([]))
        runtime.uptime = { 42 }
        #expect(runtime.coarseUptime() == 42)
    }
}
#endif
