// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The sessions in the memory of each process.
///
/// A process does not refresh a session that it has ended, remove the record of a consent that it does not know, return
/// to an earlier consent, or return a token of another process that had expired when it was found.
struct ProcessSessions: Sendable {
    typealias Violation = (invariant: Invariant, detail: String)

    private struct Key: Hashable {
        let process: ProcessID
        let subject: String
    }

    private struct Operation {
        let key: Key
        let kind: SessionOperation.Kind
        let begunAt: Int64
        /// When another sign-in of the account that ran at the same time has ended.
        var otherEndedAt: Int64?

        var isConsent: Bool { self.kind.isSignIn || self.kind == .addScopes }
    }

    /// The consents in each store, in the order in which they were first saved.
    private var consents: [String: [Int]] = [:]
    /// The consent of the newest record in each store, unless its session has ended.
    private var newest: [String: [String: Int]] = [:]
    private var stores: [ProcessID: String] = [:]
    /// The consents whose records the process has saved or found.
    private var known: [Key: Set<Int>] = [:]
    /// The accounts whose records the process could not read.
    private var unreadable: Set<Key> = []
    /// The last new consent that the process has saved, and when.
    private var consented: [Key: (consent: Int, time: Int64)] = [:]
    /// The accounts whose sessions the process has ended and not used again.
    private var ended: Set<Key> = []
    private var operations: [Int: Operation] = [:]
    private var expirations: [SimulatedToken: Int64] = [:]
    /// The access tokens of consents that produced no refresh token, which are used with that of any consent.
    private var repeated: Set<SimulatedToken> = []
    /// The access tokens that the process has saved, which it returns even if they expire before they are saved.
    private var own: [Key: Set<SimulatedToken>] = [:]
    /// The last access token that the process found in its store, and when.
    private var found: [Key: (token: SimulatedToken, time: Int64)] = [:]
    /// Whether wall clocks are right, so that processes know when each other's tokens expire.
    private var clocksAreRight = true
    /// The time after which a session uses a consent that was saved, in nanoseconds.
    private var delay: Int64 = 1_000_000_000
    private var threadsWereBusy = false

    /// Returns how an event violates a promise, or nil.
    mutating func observe(_ event: SimulationEvent) -> Violation? {
        let process: ProcessID = if case .process(let id) = event.actor { id } else { 0 }
        switch event.action {
        case .clockSet: self.clocksAreRight = false
        case .threadsBusy: (self.delay, self.threadsWereBusy) = (InvariantChecker.longestDelay, true)
        case .refreshed(_, let access, _, _, let lifetime), .exchanged(_, let access, _, let lifetime):
            if case .exchanged(nil, _, _, _) = event.action { self.repeated.insert(access) }
            self.expirations[access] = event.time + Int64(lifetime) * 1_000_000_000
        case .saved(let tokens, let store):
            self.consent(tokens, store, process, at: event.time)
            self.know(tokens, store, process)
            let key = Key(process: process, subject: tokens.subject)
            if let access = tokens.access { self.own[key, default: []].insert(access) }
        case .found(let tokens, let store):
            self.know(tokens, store, process)
            let key = Key(process: process, subject: tokens.subject)
            self.unreadable.remove(key)
            self.found[key] = tokens.access.map { ($0, event.time) }
        case .notFound(let subject, let isDamaged, let store, _):
            let key = Key(process: process, subject: subject)
            if isDamaged {
                self.unreadable.insert(key)
            } else {
                self.unreadable.remove(key)
                // A removal that failed can have taken effect.
                self.newest[store]?[subject] = nil
            }
        case .loadFailed(let subject, _): self.unreadable.insert(Key(process: process, subject: subject))
        case .keyringReset(let store): self.newest[store] = nil
        case .removed(let subject, let store): return self.remove(subject, store, process)
        case .began(let number, let operation): self.begin(number, operation, process, at: event.time)
        case .received(let number, let token): return self.receive(number, token, at: event.time)
        case .failed(let number, _) where self.operations[number]?.kind == .revocation:
            self.operations[number] = nil
        case .succeeded(let number), .canceled(let number), .failed(let number, _), .ended(let number, _):
            self.end(number, at: event.time)
        case .sent(let request, _): return self.send(request, process)
        default: break
        }
        return nil
    }

    private mutating func consent(_ tokens: SavedTokens, _ store: String, _ process: ProcessID, at time: Int64) {
        guard let consent = tokens.refresh?.consent, self.consents[store]?.contains(consent) != true else { return }
        self.consented[Key(process: process, subject: tokens.subject)] = (consent, time)
    }

    private mutating func know(_ tokens: SavedTokens, _ store: String, _ process: ProcessID) {
        self.stores[process] = store
        self.newest[store, default: [:]][tokens.subject] = tokens.refresh?.consent
        guard let consent = tokens.refresh?.consent else { return }
        if self.consents[store]?.contains(consent) != true { self.consents[store, default: []].append(consent) }
        self.known[Key(process: process, subject: tokens.subject), default: []].insert(consent)
    }

    /// A record that cannot be read is removed, whichever consent it belongs to.
    private mutating func remove(_ subject: String, _ store: String, _ process: ProcessID) -> Violation? {
        let key = Key(process: process, subject: subject)
        guard let consent = self.newest[store]?.removeValue(forKey: subject), !self.unreadable.contains(key),
            self.known[key]?.contains(consent) != true
        else { return nil }
        let detail = "process \(process) removed the record of consent \(consent), which it had not found"
        return (.usableTokenIsNotLost, detail)
    }

    private mutating func begin(
        _ number: Int,
        _ operation: SessionOperation,
        _ process: ProcessID,
        at time: Int64
    ) {
        let key = Key(process: process, subject: operation.subject)
        if operation.kind != .endedRefresh { self.ended.remove(key) }
        self.operations[number] = Operation(key: key, kind: operation.kind, begunAt: time)
    }

    private mutating func receive(_ number: Int, _ token: SimulatedToken, at time: Int64) -> Violation? {
        guard let operation = self.operations[number] else { return nil }
        defer { self.end(number, at: time) }
        if !self.repeated.contains(token), let consent = self.laterConsent(than: token.consent, operation, at: time) {
            let detail = "operation \(number) received \(token), although consent \(consent) had replaced its consent"
            return (.usableTokenIsNotLost, detail)
        }
        // A forced refresh returns a token that it has obtained or found.
        guard operation.kind == .refresh, self.clocksAreRight, let found = self.found[operation.key],
            found.token == token, self.own[operation.key]?.contains(token) != true,
            found.time >= operation.begunAt, let expiration = self.expirations[token],
            found.time > expiration, self.active(operation.key).count == 1
        else { return nil }
        let detail = "operation \(number) received \(token), which had expired when it was found"
        return (.expiredTokenIsNotReturned, detail)
    }

    /// Returns the consent that the process must use instead of an earlier one.
    ///
    /// The session uses a consent soon after it was saved, and before the sign-in returns.
    private func laterConsent(than consent: Int, _ operation: Operation, at now: Int64) -> Int? {
        guard let (last, time) = self.consented[operation.key], let store = self.stores[operation.key.process],
            let order = self.consents[store], let earlier = order.firstIndex(of: consent),
            let later = order.firstIndex(of: last), earlier < later
        else { return nil }
        let isOnlySignIn =
            operation.kind.isSignIn && time >= operation.begunAt
            && self.active(operation.key).count(where: \.isConsent) == 1
            // While threads are busy, an operation can end after a later one.
            && !(self.threadsWereBusy && operation.otherEndedAt.map { $0 + self.delay > now } ?? false)
        return isOnlySignIn || operation.begunAt >= time + self.delay ? last : nil
    }

    private mutating func end(_ number: Int, at time: Int64) {
        guard let operation = self.operations.removeValue(forKey: number) else { return }
        if operation.isConsent {
            for (other, value) in self.operations where value.key == operation.key {
                self.operations[other]?.otherEndedAt = time
            }
        }
        guard operation.kind.isSignOut else { return }
        // A sign-out spares a consent that was saved after it began.
        if let consented = self.consented[operation.key], consented.time >= operation.begunAt { return }
        if self.onlyRefreshesEndedSession(operation.key) { self.ended.insert(operation.key) }
    }

    private func send(_ request: SimulationEvent.Request, _ process: ProcessID) -> Violation? {
        guard let token = request.refreshToken else { return nil }
        let key = Key(process: process, subject: token.subject)
        guard self.ended.contains(key), self.onlyRefreshesEndedSession(key) else { return nil }
        return (.endedSessionDoesNotReturn, "process \(process) sent \(token), although it had ended the session")
    }

    private func active(_ key: Key) -> [Operation] { self.operations.values.filter { $0.key == key } }

    private func onlyRefreshesEndedSession(_ key: Key) -> Bool {
        self.active(key).allSatisfy { $0.kind == .endedRefresh }
    }
}
