// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
internal import Synchronization
internal import Testing
internal import TesseraTesting

@testable internal import TesseraOAuth

@Suite("The uptime that every call asks for")
struct TickedUptimeTests {
    /// A world whose tick and uptime the test moves.
    private final class World: Sendable {
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

    @Test("Within one tick the uptime is read once")
    func readsOnce() {
        let world = World()
        let ticked = world.make()
        world.uptime.store(7, ordering: .relaxed)
        #expect(ticked() == 7)
        world.uptime.store(8, ordering: .relaxed)
        #expect(ticked() == 7)
        #expect(world.reads.load(ordering: .relaxed) == 1)
    }

    @Test("The next tick brings the uptime with the sleep that the tick did not count")
    func countsSleep() {
        let world = World()
        let ticked = world.make()
        #expect(ticked() == 0)
        world.tick.store(1, ordering: .relaxed)
        world.uptime.store(3_600_000_000_000, ordering: .relaxed)
        #expect(ticked() == 3_600_000_000_000)
    }

    @Test("An uptime that was read late never takes back a later one")
    func neverGoesBack() {
        let world = World()
        let ticked = world.make()
        world.uptime.store(9, ordering: .relaxed)
        #expect(ticked() == 9)
        world.tick.store(1, ordering: .relaxed)
        world.uptime.store(8, ordering: .relaxed)
        #expect(ticked() == 9)
    }

    @Test("The machine's coarse uptime follows the exact one, and never goes back, in eight tasks at once")
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
                        // A tick takes ten milliseconds at the most; a machine that is itself suspended ticks late.
                        #expect(coarse > before - 1_000_000_000)
                        last = coarse
                    }
                }
            }
        }
    }

    @Test("A runtime whose uptime is replaced asks the replacement for everything")
    func followsTheReplacement() {
        var runtime = OAuthRuntime(transport: ScriptedTransport([]))
        runtime.uptime = { 42 }
        #expect(runtime.coarseUptime() == 42)
    }
}
#endif
