// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import TesseraSupport
internal import Testing

@testable internal import TesseraOAuth

@Suite("Expiring activities", .timeLimit(.minutes(1)))
struct ExpiringActivitiesInternalTests {
    /// A system that allows or expires activities when a test tells it to.
    private final class System: Sendable {
        private typealias Block = @Sendable (_ isExpired: Bool) -> Void

        private struct State {
            var blocks: [Block] = []
            var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
            var returnCount = 0
        }

        private let state = Mutex(State())

        var requestCount: Int { self.state.withLock { $0.blocks.count } }
        /// The number of block calls that have returned.
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

        /// Waits until the system has received this many requests.
        func requests(reach count: Int) async {
            await withCheckedContinuation { continuation in
                let isReady = self.state.withLock { state in
                    if state.blocks.count < count { state.waiting.append((count, continuation)) }
                    return state.blocks.count >= count
                }
                if isReady { continuation.resume() }
            }
        }

        /// Calls a request's block on another thread and waits until it returns.
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

    /// Counts how often an activity was told that its time has expired.
    private final class ExpirationCounter: Sendable {
        private let count = Mutex(0)
        var expired: Int { self.count.withLock { $0 } }
        func expire() { self.count.withLock { $0 += 1 } }
    }

    @Test("An allowed activity blocks the system's thread until it ends")
    func ends() async throws {
        let system = System()
        let activities = system.activities
        let counter = ExpirationCounter()
        async let begun = activities.begin("test") { counter.expire() }
        await system.requests(reach: 1)
        async let held: Void = system.call(false)
        let end = try #require(await begun)
        end()
        await held
        // The system may still report the expiration.
        await system.call(true)
        #expect(counter.expired == 0)
    }

    @Test("Tells an activity once that it expired, and both calls return when it ends")
    func expires() async throws {
        let system = System()
        let activities = system.activities
        let counter = ExpirationCounter()
        async let begun = activities.begin("test") { counter.expire() }
        await system.requests(reach: 1)
        async let held: Void = system.call(false)
        let end = try #require(await begun)
        async let over: Void = system.call(true)
        while counter.expired == 0 { await Task.yield() }
        end()
        await held
        await over
        await system.call(true)
        #expect(counter.expired == 1)
    }

    @Test("The expiration call returns only after the activity has ended")
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

    @Test("A denied activity returns nil, blocks no thread and retains nothing")
    func refused() async {
        let system = System()
        let activities = system.activities
        weak var left: ExpirationCounter?
        do {
            let counter = ExpirationCounter()
            left = counter
            async let begun = activities.begin("test") { counter.expire() }
            await system.requests(reach: 1)
            await system.call(true)
            #expect(await begun == nil)
            #expect(counter.expired == 0)
        }
        #expect(left == nil)
    }

    @Test("Blocks no thread when the system allows an activity that has already expired")
    func refusedThenAllowed() async {
        let system = System()
        let activities = system.activities
        async let begun = activities.begin("test") {}
        await system.requests(reach: 1)
        await system.call(true)
        #expect(await begun == nil)
        await system.call(false)
    }

    @Test("Concurrent activities share one system activity, which ends with the last of them")
    func two() async throws {
        let system = System()
        let activities = system.activities
        let counters = [ExpirationCounter(), ExpirationCounter(), ExpirationCounter()]
        async let first = activities.begin("test") { counters[0].expire() }
        await system.requests(reach: 1)
        async let held: Void = system.call(false)
        let ends = [try #require(await first), try #require(await activities.begin("test") { counters[1].expire() })]
        #expect(system.requestCount == 1)
        ends[0]()
        let last = try #require(await activities.begin("test") { counters[2].expire() })
        #expect(system.requestCount == 1)
        async let over: Void = system.call(true)
        while counters[1].expired + counters[2].expired < 2 { await Task.yield() }
        ends[1]()
        last()
        await held
        await over
        #expect(counters.map(\.expired) == [0, 1, 1])
    }

    @Test("Allows activities that begin and end in any order, and releases every thread")
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

    @Test("Requests a new system activity after one has ended or expired")
    func again() async throws {
        let system = System()
        let activities = system.activities
        async let first = activities.begin("test") {}
        await system.requests(reach: 1)
        async let held: Void = system.call(false)
        let end = try #require(await first)
        end()
        await held

        let counter = ExpirationCounter()
        async let second = activities.begin("test") { counter.expire() }
        await system.requests(reach: 2)
        async let heldAgain: Void = system.call(false, 1)
        let secondEnd = try #require(await second)
        async let over: Void = system.call(true, 1)
        while counter.expired == 0 { await Task.yield() }
        async let third = activities.begin("test") {}
        await system.requests(reach: 3)
        await system.call(true, 2)
        #expect(await third == nil)
        secondEnd()
        await heldAgain
        await over
    }

    @Test("Treats an app as in the background until told otherwise")
    func background() {
        let state = BackgroundState()
        #expect(state.isInBackground)
        state.begin(isInBackground: false)
        #expect(!state.isInBackground)
        state.change(isInBackground: true)
        #expect(state.isInBackground)
        // The initial state is older than the notification.
        state.begin(isInBackground: false)
        #expect(state.isInBackground)
    }
}
