// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Checks the invariants of sessions against the events of a simulation.
struct InvariantChecker: Sendable {
    private struct Operation {
        let process: ProcessID
        let operation: SessionOperation
        let subject: String
        let begunAt: Int64
        /// The consent whose session was in the process's store when the operation began.
        let stored: Int?
        /// The consents whose sessions this process had ended before the operation began.
        let ended: Set<Int>
    }

    private(set) var violation: InvariantViolation?
    /// The access tokens that were saved in any store, and not only as expired ones.
    private var saved: Set<SimulatedToken> = []
    /// The accounts whose records have had no refresh token, so that their sessions end when the access token expires.
    private var unrenewable: Set<String> = []
    private var consents: [Int: Consent] = [:]
    private var exchanges = TokenExchanges()
    private var operations: [Int: Operation] = [:]
    /// The consents whose sessions were signed out or disconnected by each process.
    private var ended: [ProcessID: Set<Int>] = [:]
    /// The name of each process's store.
    private var stores: [ProcessID: String] = [:]
    /// The newest consent that was saved, for each store and subject.
    private var stored: [String: [String: Int]] = [:]
    /// The subjects that a process has begun to sign out or disconnect, for each store, or an empty name if unknown.
    private var signedOut: [String: Set<String>] = [:]
    /// The last refresh token of each account that each process has sent.
    private var sent: [ProcessID: [String: SimulatedToken]] = [:]
    /// When each process last released the session of an account.
    private var released: [ProcessID: [String: Int64]] = [:]
    /// When each process has last saved or found the end of an account's session.
    private var closed: [String: [ProcessID: Int64]] = [:]
    private var leases = LostLeases()
    private var order = RecordOrder()
    private var records = SavedRecords()
    private var rejected = RejectedTokens()
    private var sessions = ProcessSessions()
    private var uncertain = UncertainRefreshes()
    private var uploads = UploadChecker()
    private var superseded = SupersededConsents()
    private var keyFetches = KeyFetches()
    private var deviations = Deviations()
    private var count = 0
    /// The time for which code may be delayed, in nanoseconds.
    private var delay: Int64 = 0
    /// The time for which code may be delayed while threads are busy: several waits of the scheduler in a row.
    static let longestDelay: Int64 = 5_000_000_000

    mutating func report(_ invariant: Invariant, _ detail: String) {
        guard self.violation == nil else { return }
        self.violation = InvariantViolation(invariant: invariant, detail: detail, event: self.count - 1)
    }

    mutating func observe(_ event: SimulationEvent) {
        self.count += 1
        if let detail = self.uploads.observe(event.action) { self.report(.uploadArrivesOnce, detail) }
        if let detail = self.superseded.observe(event.action) { self.report(.usableTokenIsNotLost, detail) }
        if let detail = self.keyFetches.observe(event) { self.report(.usableTokenIsNotLost, detail) }
        if let detail = self.leases.observe(event) { self.report(.leaseIsExclusive, detail) }
        if let detail = self.order.observe(event, delay: self.delay) { self.report(.newerRecordIsNotReplaced, detail) }
        if let detail = self.rejected.observe(event) { self.report(.rejectedTokenIsReplacedOnce, detail) }
        if let (invariant, detail) = self.sessions.observe(event) { self.report(invariant, detail) }
        self.uncertain.observe(event)
        self.exchanges.observe(event)
        self.deviations.observe(event.action)
        self.records.observe(event, delay: self.delay)
        let process: ProcessID? = if case .process(let id) = event.actor { id } else { nil }
        switch event.action {
        case .sent(let request, let number): self.sent(request, number, process ?? 0, at: event.time)
        case .delivered(let response, let number): self.delivered(response, number, at: event.time)
        case .abandoned(let number), .responseLost(let number), .requestLost(let number):
            _ = self.exchanges.end(number)
        case .threadsBusy: self.delay = Self.longestDelay
        case .consented(let token): self.consents[token.consent, default: Consent()].issued[token] = true
        case .refreshed(let old, let access, let refresh, let number, let lifetime):
            let expiresAt = event.time + Int64(lifetime) * 1_000_000_000
            self.consents[old.consent]?.access[access] = Access(request: number, expiresAt: expiresAt)
            if let refresh { self.issue(refresh) }
        case .exchanged(let refresh, let access, let number, let lifetime):
            let expiresAt = event.time + Int64(lifetime) * 1_000_000_000
            if let refresh { self.consents[refresh.consent, default: Consent()].issued[refresh] = true }
            self.consents[access.consent]?.access[access] = Access(request: number, expiresAt: expiresAt)
            if refresh == nil { self.consents[access.consent]?.repeated.insert(access) }
        case .revoked(let consent): self.consents[consent]?.isRevoked = true
        case .reuseDetected(let token, _): self.consents[token.consent]?.isRevoked = true
        case .saved(let tokens, let store):
            self.stores[process ?? 0] = store
            self.save(tokens, store, process ?? 0, at: event.time)
            self.publish(tokens, process ?? 0, at: event.time)
        case .found(let tokens, let store):
            self.stores[process ?? 0] = store
            if tokens.access == nil { self.closed[tokens.subject, default: [:]][process ?? 0] = event.time }
            self.find(tokens, store, at: event.time)
        case .notFound(let subject, _, let store, _):
            if self.records.haveLost(event.action), !self.wasSignedOut(subject, store) {
                self.report(.usableTokenIsNotLost, "the saved record of \(subject) was lost")
            }
        case .listed(let number, let names, let store):
            for name in self.records.missing(names, number, in: store) where !self.wasSignedOut(name, store) {
                self.report(.usableTokenIsNotLost, "operation \(number) did not list \(name)")
            }
        case .removed(let subject, let store): self.remove(subject, store, process ?? 0)
        case .keyringReset(let store):
            // The sessions end as if the user had signed out.
            let renewable = self.stored.removeValue(forKey: store) ?? [:]
            self.signedOut[store, default: []].formUnion(self.unrenewable.union(renewable.keys))
        case .released(let subject): self.release(subject, process ?? 0, at: event.time)
        case .began(let number, let operation): self.begin(number, operation, process ?? 0, at: event.time)
        case .received(let number, let token): self.receive(number, token, at: event.time)
        case .succeeded(let number): self.succeed(number)
        case .ended(let number, let reason): self.end(number, reason)
        case .canceled(let number): self.cancel(number)
        default: break
        }
        switch event.action {
        case .received(let number, _), .succeeded(let number), .canceled(let number), .failed(let number, _),
            .ended(let number, _):
            self.operations[number] = nil
        default: break
        }
    }

    private mutating func sent(
        _ request: SimulationEvent.Request,
        _ number: Int,
        _ process: ProcessID,
        at time: Int64
    ) {
        if let token = request.accessToken ?? request.refreshToken,
            !SimulatedIssuer(of: token.subject).accepts(request.origin)
        {
            self.report(.onlyAuthorizedOrigins, "process \(process) sent a token to \(request.origin)")
        }
        guard let token = request.refreshToken else { return }
        self.sent[process, default: [:]][token.subject] = token
        let hasLostLock = self.leases.contains(process, of: token.subject) || self.exchanges.isLate(process, at: time)
        let other = self.exchanges.refreshes(of: token.consent)
            .first { exchange in
                (!exchange.isReleased || exchange.process == process)
                    && !self.leases.contains(exchange.process, of: token.subject)
            }
        if let other, !hasLostLock {
            self.report(
                .oneRefreshOnTheWire,
                "process \(process) sent \(token) while a refresh of process \(other.process) was on the wire"
            )
        }
        if let consent = self.consents[token.consent] {
            if consent.known[process]?.contains(token) == true {
                self.report(.replacedTokenIsNotSent, "process \(process) sent \(token) after it received a newer one")
            } else if !hasLostLock, consent.replaced.values.contains(where: { $0.contains(token) }) {
                self.report(.replacedTokenIsNotSent, "process \(process) sent \(token) after a newer one was saved")
            }
        }
        self.exchanges.begin(number, token, process, at: time)
    }

    private mutating func issue(_ refresh: SimulatedToken) {
        let known = self.consents[refresh.consent]?.issued[refresh] ?? false
        self.consents[refresh.consent]?.issued[refresh] = known
    }

    private mutating func delivered(_ response: SimulationEvent.Response, _ number: Int, at time: Int64) {
        guard let exchange = self.exchanges.end(number) else { return }
        let old = exchange.refreshToken
        if let token = self.consents[old.consent]?.access.first(where: { $0.value.request == number })?.key,
            self.released[exchange.process]?[old.subject] ?? .min <= exchange.sentAt
        {
            self.consents[old.consent]?.access[token]?.arrival = (exchange.process, time)
        }
        guard let new = response.refreshToken, new != old, !exchange.mayEnd(at: time, delay: self.delay) else { return }
        self.consents[old.consent]?.known[exchange.process, default: []].insert(old)
    }

    private mutating func save(_ tokens: SavedTokens, _ store: String, _ process: ProcessID, at time: Int64) {
        guard let access = tokens.access else {
            self.closed[tokens.subject, default: [:]][process] = time
            return
        }
        guard let refresh = tokens.refresh else { return self.saveUnrenewable(access, of: tokens.subject) }
        for token in [access, refresh] where token.subject != tokens.subject {
            self.report(.accountsAreSeparate, "\(token) was saved in the record of \(tokens.subject)")
        }
        if !tokens.isUnchecked { self.saved.insert(access) }
        let former = self.stored[store, default: [:]].updateValue(refresh.consent, forKey: tokens.subject)
        if let former, former != refresh.consent { self.consents[former]?.superseded.insert(store) }
        guard var consent = self.consents[refresh.consent] else { return }
        consent.superseded.remove(store)
        if consent.removed.contains(store) {
            self.report(.endedSessionDoesNotReturn, "\(refresh) was saved after its session was removed")
        }
        if consent.wasInterrupted { consent.interruptedUntil = time }
        consent.noteRepetition(of: access, at: time)
        consent.issued[refresh] = true
        for (token, _) in consent.issued where token.number < refresh.number {
            consent.replaced[store, default: []].insert(token)
        }
        self.consents[refresh.consent] = consent
    }

    private mutating func saveUnrenewable(_ access: SimulatedToken, of subject: String) {
        self.saved.insert(access)
        self.unrenewable.insert(subject)
    }

    /// A process returns a token that it obtained only after it has saved it, which can take longer than its lifetime.
    private mutating func publish(_ tokens: SavedTokens, _ process: ProcessID, at time: Int64) {
        guard let access = tokens.access else { return }
        let arrival = self.consents[access.consent]?.access[access]?.arrival
        if arrival?.process == process { self.consents[access.consent]?.access[access]?.arrival?.time = time }
    }

    /// Only the caller that is canceled stops waiting.
    private mutating func cancel(_ number: Int) {
        guard let operation = self.operations[number], operation.operation.kind != .canceledToken else { return }
        self.report(
            .everyWaiterGetsAResult,
            "operation \(number), \(operation.operation), was not canceled by its program"
        )
    }

    /// Notes that a record was written, perhaps not yet to disk, even if its process was killed before it could notice.
    private mutating func find(_ tokens: SavedTokens, _ store: String, at time: Int64) {
        guard let access = tokens.access else { return }
        guard let refresh = tokens.refresh else { return self.saveUnrenewable(access, of: tokens.subject) }
        guard self.consents[refresh.consent]?.mayBeIn(store) == true else { return }
        if !tokens.isUnchecked { self.saved.insert(access) }
        self.consents[refresh.consent]?.noteRepetition(of: access, at: time)
        self.stored[store, default: [:]][tokens.subject] = refresh.consent
    }

    private mutating func remove(_ subject: String, _ store: String, _ process: ProcessID) {
        guard let consent = self.stored[store]?.removeValue(forKey: subject) else { return }
        if !self.wasSignedOut(subject, store) {
            self.report(.usableTokenIsNotLost, "the record of \(subject) was removed, but no program had signed out")
        }
        self.consents[consent]?.removed.insert(store)
        for (number, operation) in self.operations where operation.operation.kind == .disconnect {
            if operation.process == process, operation.subject == subject, operation.stored == consent {
                self.consents[consent]?.removedBy.insert(number)
            }
        }
    }

    private mutating func begin(
        _ number: Int,
        _ operation: SessionOperation,
        _ process: ProcessID,
        at time: Int64
    ) {
        if operation.kind.isSignOut {
            // If the sign-out fails, the next operation restores the session.
            self.release(operation.subject, process, at: time)
            self.signedOut[self.stores[process] ?? "", default: []].insert(operation.subject)
        }
        self.operations[number] = Operation(
            process: process,
            operation: operation,
            subject: operation.subject,
            begunAt: time,
            stored: self.stores[process].flatMap { self.stored[$0]?[operation.subject] },
            ended: self.ended[process] ?? []
        )
    }

    /// The age of a restored token depends on the wall clock.
    private mutating func release(_ subject: String, _ process: ProcessID, at time: Int64) {
        self.released[process, default: [:]][subject] = time
        for (number, consent) in self.consents {
            for (token, access) in consent.access where token.subject == subject && access.arrival?.process == process {
                self.consents[number]?.access[token]?.arrival = nil
            }
        }
    }

    private mutating func receive(_ number: Int, _ token: SimulatedToken, at time: Int64) {
        guard let operation = self.operations[number] else { return }
        if token.subject != operation.subject {
            self.report(.accountsAreSeparate, "operation \(number) of \(operation.subject) received \(token)")
        }
        if !self.saved.contains(token) {
            self.report(.tokenWasSaved, "operation \(number) received \(token), which had not been saved")
        }
        // A token with a short lifetime can expire before it arrives, also for a call that shares an earlier refresh.
        if let access = self.consents[token.consent]?.access[token], time > access.expiresAt + self.delay,
            let arrival = access.arrival, arrival.process == operation.process,
            !self.operations.values.contains(where: {
                $0.process == arrival.process && $0.subject == token.subject && $0.begunAt <= arrival.time
            })
        {
            self.report(.expiredTokenIsNotReturned, "operation \(number) received \(token), which had expired")
        }
        if operation.operation.kind == .endedRefresh {
            self.report(.endedSessionDoesNotReturn, "operation \(number) refreshed a session object that had ended")
        }
        let isRepeated = self.consents[token.consent]?.repeated.contains(token) ?? false
        if operation.ended.contains(token.consent), !isRepeated {
            self.report(.endedSessionDoesNotReturn, "operation \(number) received \(token) after the sign-out")
        }
    }

    private mutating func succeed(_ number: Int) {
        guard let operation = self.operations[number], operation.operation.kind.isSignOut else { return }
        // A sign-out spares the record of a consent that was saved after it began.
        if let consent = operation.stored, let store = self.stores[operation.process],
            self.stored[store]?[operation.subject] == consent,
            self.consents[consent]?.repeatedAt.map({ $0 < operation.begunAt }) ?? true
        {
            self.report(
                .endedSessionDoesNotReturn,
                "operation \(number) signed \(operation.subject) out, but its record is still stored"
            )
        }
        // If another process has a newer refresh token that it could not save, this process revoked a replaced one.
        if operation.operation.kind == .disconnect,
            let consent = self.consents.first(where: { consent in
                consent.value.removedBy.contains(number) && !consent.value.isRevoked && !consent.value.wasInterrupted
            })
        {
            self.report(
                .endedSessionDoesNotReturn,
                "operation \(number) disconnected \(operation.subject), but consent \(consent.key) was not revoked"
            )
        }
        let removed = self.consents.filter { consent in
            !consent.value.removed.isEmpty && consent.value.issued.keys.contains { $0.subject == operation.subject }
        }
        self.ended[operation.process, default: []].formUnion(removed.keys)
    }

    private func wasSignedOut(_ subject: String, _ store: String?) -> Bool {
        if self.signedOut[""]?.contains(subject) == true { return true }
        guard let store else { return self.signedOut.values.contains { $0.contains(subject) } }
        return self.signedOut[store]?.contains(subject) == true || self.records.mayBeReset(subject, in: store)
    }

    /// A process that has lost its lease does not end a session in memory if another process has saved newer tokens.
    private mutating func checkLostLease(_ operation: Operation, _ number: Int, _ reason: String) {
        guard ["refused", "interrupted"].contains(reason), let stored = operation.stored,
            self.leases.subjects.contains(operation.subject), self.consents[stored]?.isRevoked == false,
            self.closed[operation.subject]?[operation.process].map({ $0 >= operation.begunAt }) != true,
            let store = self.stores[operation.process], let sent = self.sent[operation.process]?[operation.subject],
            let newest = self.order.newestToken(of: operation.subject, in: store),
            newest.consent == sent.consent, newest.number > sent.number
        else { return }
        self.report(
            .transientFailureEndsNoSession,
            "operation \(number) reported \(reason) after its process lost the lease, but the session has not ended"
        )
    }

    private mutating func end(_ number: Int, _ reason: String) {
        // An object of a session that has ended reports why, even if another process has restored the session.
        guard let operation = self.operations[number], operation.operation.kind != .endedRefresh,
            operation.operation.kind != .keptToken
        else { return }
        let consents = self.consents.values.filter { consent in
            consent.issued.keys.contains { $0.subject == operation.subject }
        }
        let wasRevoked = consents.contains(where: \.isRevoked)
        let wasInterrupted = consents.contains { $0.wasInterrupted(since: operation.begunAt) }
        self.checkLostLease(operation, number, reason)
        switch reason {
        case "signedOut":
            if !self.wasSignedOut(operation.subject, self.stores[operation.process]) {
                self.report(.usableTokenIsNotLost, "operation \(number) ended, but no program had signed out")
            }
        case "refused":
            if !wasRevoked {
                self.report(
                    wasInterrupted ? .usableTokenIsNotLost : .transientFailureEndsNoSession,
                    "operation \(number) reported refused, but the user's access had not been revoked"
                )
            }
        case "interrupted":
            let isUncertain = self.consents.contains { number, consent in
                self.uncertain.contains(number, since: operation.begunAt)
                    && consent.issued.keys.contains { $0.subject == operation.subject }
            }
            if !wasRevoked && !wasInterrupted {
                self.report(.usableTokenIsNotLost, "operation \(number) reported interrupted, but nothing was lost")
            } else if !wasInterrupted && !isUncertain {
                self.report(
                    .usableTokenIsNotLost,
                    "operation \(number) reported interrupted, but no refresh had an unknown result"
                )
            }
        case "expired" where self.unrenewable.contains(operation.subject): break
        case _ where self.deviations.explain(reason, operation.subject): break
        default:
            self.report(.transientFailureEndsNoSession, "operation \(number) reported \(reason)")
        }
    }
}
