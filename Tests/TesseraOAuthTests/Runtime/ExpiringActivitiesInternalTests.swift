// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import TesseraSupport
internal import Testing

@testable internal import TesseraOAuth

@Suite("Activities of a system that gives one thread to each", .timeLimit(.minutes(1)))
struct ExpiringActivitiesInternalTests {
    /// A system that answers when a test says so.
    private final class System: Sendable {
        private typealias Block = @Sendable (_ isExpired: Bool) -> Void

        private struct State {
            var blocks: [Block] = []
            var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
            var returnCount = 0
        }

        private let state = Mutex(State())

        var requestCount: Int { self.state.withLock { $0.blocks.count } }
        /// How many calls of blocks have returned.
        var returnCount: Int { self.state.withLock { $0.returnCount } }

        var activities: ExpiringActivities {
            ExpiringActivities { _, block in
                let ready = self.state.withLock { state in
                    state.blocks.append(block)
                    defer { state.waiting.removeAll { $0.count <= state.blocks.count } }
                    return state.waiting.filter { $0.count <= state.blocks.count }
                }
                for waiter in ready { waiter.continuation.resume() }
            }
        }

        /// Returns when the system was asked for so many activities.
        func requests(reach count: Int) async {
            await withCheckedContinuation { continuation in
                let isReady = self.state.withLock { state in
                    if state.blocks.count < count { state.waiting.append((count, continuation)) }
                    return state.blocks.count >= count
                }
                if isReady { continuation.resume() }
            }
        }

        /// Calls a request's block on a thread of its own, and returns when the block has returned.
        func call(_ isExpired: Bool, _ request: Int = 0) async {
            let block = self.state.withLock { $0.blocks[request] }
            await withCheckedContinuation { continuation in
                DispatchQueue.global()
                    .async {
                        block(isExpired)
                        self.state.withLock { $0.returnCount += 1 }
                        continuation.resume()
                    }
            }
        }
    }

    /// What an activity was told.
    private final class Witness: Sendable {
        private let count = Mutex(0)
        var expired: Int { self.count.withLock { $0 } }
        func expire() { self.count.withLock { $0 += 1 } }
    }

    @Test("An activity that is allowed occupies its thread until it ends")
    func ends() async throws {
        let system = System()
        let activities = system.activities
        let witness = Witness()
        async let begun = activities.begin("test") { witness.expire() }
        await system.requests(reach: 1)
        async let held: Void = system.call(false)
        let end = try #require(await begun)
        end()
        await held
        // The system may still say that the time is over.
        await system.call(true)
        #expect(witness.expired == 0)
    }

    @Test("An activity is told once that its time is over, and both calls return when it ends")
    func expires() async throws {
        let system = System()
        let activities = system.activities
        let witness = Witness()
        async let begun = activities.begin("test") { witness.expire() }
        await system.requests(reach: 1)
        async let held: Void = system.call(false)
        let end = try #require(await begun)
        async let over: Void = system.call(true)
        while witness.expired == 0 { await Task.yield() }
        end()
        await held
        await over
        await system.call(true)
        #expect(witness.expired == 1)
    }

    @Test("The call that ends an activity's time returns after the activity, which releases locks before it ends")
    func waits() async throws {
        let system = System()
        let activities = system.activities
        let isOver = DispatchSemaphore(value: 0)
        async let begun = activities.begin("test") { isOver.signal() }
        await system.requests(reach: 1)
        async let held: Void = system.call(false)
        let end = try #require(await begun)
        let returnedBefore = Mutex<Int?>(nil)
        DispatchQueue.global()
            .async {
                isOver.wait()
                returnedBefore.withLock { $0 = system.returnCount }
                end()
            }
        await system.call(true)
        await held
        #expect(returnedBefore.withLock { $0 } == 0)
    }

    @Test("An activity that is not allowed is refused, keeps no thread, and leaves nothing behind")
    func refused() async {
        let system = System()
        let activities = system.activities
        weak var left: Witness?
        do {
            let witness = Witness()
            left = witness
            async let begun = activities.begin("test") { witness.expire() }
            await system.requests(reach: 1)
            await system.call(true)
            #expect(await begun == nil)
            #expect(witness.expired == 0)
        }
        #expect(left == nil)
    }

    @Test("A system that allows an activity after its time was over keeps no thread")
    func refusedThenAllowed() async {
        let system = System()
        let activities = system.activities
        async let begun = activities.begin("test") {}
        await system.requests(reach: 1)
        await system.call(true)
        #expect(await begun == nil)
        await system.call(false)
    }

    @Test("Activities at the same time share one of the system's, which ends with the last")
    func two() async throws {
        let system = System()
        let activities = system.activities
        let witnesses = [Witness(), Witness(), Witness()]
        async let first = activities.begin("test") { witnesses[0].expire() }
        await system.requests(reach: 1)
        async let held: Void = system.call(false)
        let ends = [try #require(await first), try #require(await activities.begin("test") { witnesses[1].expire() })]
        #expect(system.requestCount == 1)
        ends[0]()
        let last = try #require(await activities.begin("test") { witnesses[2].expire() })
        #expect(system.requestCount == 1)
        async let over: Void = system.call(true)
        while witnesses[1].expired + witnesses[2].expired < 2 { await Task.yield() }
        ends[1]()
        last()
        await held
        await over
        #expect(witnesses.map(\.expired) == [0, 1, 1])
    }

    @Test("Activities that begin and end in any order are all allowed, and every thread returns")
    func crowd() async {
        let group = DispatchGroup()
        let activities = ExpiringActivities { _, block in
            group.enter()
            DispatchQueue.global()
                .async {
                    block(false)
                    group.leave()
                }
        }
        let allowed = await withTaskGroup(of: Bool.self) { tasks in
            for _ in 0..<200 {
                tasks.addTask {
                    let end = await activities.begin("test") {}
                    await Task.yield()
                    end?()
                    return end != nil
                }
            }
            return await tasks.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(allowed == 200)
        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume() }
        }
    }

    @Test("The system is asked again after an activity has ended, and while an expired one goes on")
    func again() async throws {
        let system = System()
        let activities = system.activities
        async let first = activities.begin("test") {}
        await system.requests(reach: 1)
        async let held: Void = system.call(false)
        let end = try #require(await first)
        end()
        await held

        let witness = Witness()
        async let second = activities.begin("test") { witness.expire() }
        await system.requests(reach: 2)
        async let heldAgain: Void = system.call(false, 1)
        let secondEnd = try #require(await second)
        async let over: Void = system.call(true, 1)
        while witness.expired == 0 { await Task.yield() }
        async let third = activities.begin("test") {}
        await system.requests(reach: 3)
        await system.call(true, 2)
        #expect(await third == nil)
        secondEnd()
        await heldAgain
        await over
    }

    @Test("An app is treated as in the background until something says otherwise")
    func background() {
        let state = BackgroundState()
        #expect(state.isInBackground)
        state.begin(isInBackground: false)
        #expect(!state.isInBackground)
        state.change(isInBackground: true)
        #expect(state.isInBackground)
        // What the app said before the notification is older.
        state.begin(isInBackground: false)
        #expect(state.isInBackground)
    }
}
