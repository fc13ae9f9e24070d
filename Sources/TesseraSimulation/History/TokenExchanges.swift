// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The token requests on the wire.
struct TokenExchanges: Sendable {
    struct Exchange: Sendable {
        let process: ProcessID
        let refreshToken: SimulatedToken
        let sentAt: Int64
        /// Whether the process has released the account's lock because it is an app that is about to be suspended.
        fileprivate(set) var isReleased = false
        /// Whether the process has been stopped or suspended since it sent the request.
        fileprivate var wasStopped = false

        /// Returns whether a time limit may pass before a response is read that arrives at `time`, because threads are busy
        /// for up to `delay` nanoseconds.
        ///
        /// While threads are busy, the timer can fire late, and then there are up to three additional limits.
        func mayEnd(at time: Int64, delay: Int64) -> Bool {
            let last = TokenExchanges.limit + (self.wasStopped ? 0 : 3 * TokenExchanges.grace + delay)
            return delay > 0 && (TokenExchanges.limit - delay...last).contains(time - self.sentAt)
        }
    }

    /// The time limit of a token request, and the additional time if its timer fires late, in nanoseconds.
    private static let (limit, grace): (Int64, Int64) = (60_000_000_000, 5_000_000_000)

    private var exchanges: [Int: Exchange] = [:]
    /// When the time of each app's activities last ran out, in nanoseconds.
    private var expired: [ProcessID: Int64] = [:]
    /// The time for which code may be delayed, in nanoseconds.
    private var delay: Int64 = 0

    /// The requests with a refresh token of a consent.
    func refreshes(of consent: Int) -> [Exchange] {
        self.exchanges.values.filter { $0.refreshToken.consent == consent }
    }

    /// Returns whether an app may send a request that it had prepared when it released the account's lock, because
    /// threads are busy.
    func isLate(_ process: ProcessID, at time: Int64) -> Bool {
        self.expired[process].map { time - $0 < self.delay } ?? false
    }

    mutating func begin(_ number: Int, _ refreshToken: SimulatedToken, _ process: ProcessID, at time: Int64) {
        var exchange = Exchange(process: process, refreshToken: refreshToken, sentAt: time)
        exchange.isReleased = self.isLate(process, at: time)
        self.exchanges[number] = exchange
    }

    mutating func end(_ number: Int) -> Exchange? { self.exchanges.removeValue(forKey: number) }

    /// Observes an event that affects all requests of a process, or of all processes.
    mutating func observe(_ event: SimulationEvent) {
        if case .threadsBusy = event.action { self.delay = InvariantChecker.longestDelay }
        guard case .process(let process) = event.actor else { return }
        switch event.action {
        case .killed: self.exchanges = self.exchanges.filter { $0.value.process != process }
        case .activitiesExpired:
            self.expired[process] = event.time
            self.update(process) { $0.isReleased = true }
        case .paused, .suspended: self.update(process) { $0.wasStopped = true }
        default: break
        }
    }

    private mutating func update(_ process: ProcessID, _ change: (inout Exchange) -> Void) {
        self.exchanges = self.exchanges.mapValues { exchange in
            var exchange = exchange
            if exchange.process == process { change(&exchange) }
            return exchange
        }
    }
}
