// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The part of a history that concerns one session in one store, as steps of the model in `Models/sessions.pml`.
///
/// A trace begins when the session is saved after the user's consent. It ends when another consent replaces the session, a
/// running process loses its lease, an app has no time for its activities, the provider declines a refresh although the
/// token is valid, or tokens cannot be saved before their ID token is checked. The first token that is saved has the
/// number 1, and each refresh issues the next number.
package struct ModelTrace: Sendable, Hashable {
    /// A step of the model that a simulation shows.
    package enum Label: String, Sendable, Hashable {
        /// The refresh mark was written, with the value 1 if there is one from now on.
        case mark
        /// A refresh token was sent.
        case send
        /// The provider replaced the refresh token, and issued this one.
        case accept
        /// The provider rejected a refresh token.
        case reject
        /// The provider's response was delivered.
        case answer
        /// A refresh token was saved.
        case save
        /// A record could not be saved, with the value 1 if it was that of an ended session.
        case fail
        /// The end of the session was saved, with the value 1 if it was interrupted.
        case close
        /// The record was removed.
        case remove
        /// The process was killed.
        case kill
        /// The process released the session, and restores it when it needs it again.
        case release
        /// Access was revoked.
        case revoke
    }

    /// A label with the number of a process, a value, and the event that it comes from.
    package struct Step: Sendable, Hashable {
        package let label: Label
        /// The number of the process in the model, or 0 if the step is not that of a process.
        package let process: Int
        package let value: Int
        package let event: SimulationEvent
    }

    /// The name of the store.
    package let store: String
    /// The number of the consent.
    package let consent: Int
    let subject: String
    /// The greatest number of processes that run at once.
    package private(set) var processes = 1
    package private(set) var steps: [Step] = []

    private var tokens: [SimulatedToken: Int]
    private var numbers: [ProcessID: Int] = [:]
    private var requests: [Int: ProcessID] = [:]
    /// The requests that the provider has accepted or rejected.
    private var judged: Set<Int> = []
    private var hasRecord = true
    /// The refresh tokens that processes have saved before the check of their ID tokens, and will save again.
    private var unchecked: [ProcessID: SimulatedToken] = [:]
    /// Whether something has happened that the model of a replay does not include.
    private var isOver = false

    private init(store: String, token: SimulatedToken) {
        (self.store, self.consent, self.subject) = (store, token.consent, token.subject)
        self.tokens = [token: 1]
    }

    /// Returns the traces of a history.
    ///
    /// The model includes only refresh tokens that each refresh replaces, so other settings have no traces.
    package static func traces(of events: [SimulationEvent], plan: SessionPlan) -> [ModelTrace] {
        guard plan.settings.refreshTokens == .rotating || plan.settings.refreshTokens == .rotatingWithReuseDetection
        else { return [] }
        var ended: [ModelTrace] = []
        var current: [ModelTrace] = []
        for event in events {
            if case .saved(let tokens, let store) = event.action, let token = tokens.refresh,
                SimulatedIssuer(of: token.subject) != .work,
                !current.contains(where: { $0.store == store && $0.consent == token.consent })
            {
                let replaced = current.firstIndex { $0.store == store && $0.subject == token.subject }
                if let replaced { ended.append(current.remove(at: replaced)) }
                current.append(ModelTrace(store: store, token: token))
                continue
            }
            for index in current.indices { current[index].observe(event) }
        }
        return (ended + current).sorted { $0.consent < $1.consent }
    }

    private mutating func observe(_ event: SimulationEvent) {
        self.end(before: event)
        guard !self.isOver else { return }
        if case .process(let id) = event.actor { self.observe(event, of: id) } else { self.observeOther(event) }
    }

    private mutating func end(before event: SimulationEvent) {
        switch event.action {
        case .leaseTaken(self.subject, let process, _), .leaseLost(self.subject, let process):
            if self.numbers[process] != nil { self.isOver = true }
        case .activitiesExpired:
            if case .process(let process) = event.actor, self.numbers[process] != nil { self.isOver = true }
        case .delivered(let response, let request):
            let isDeclined = response.status < 500 && !self.judged.contains(request)
            if self.requests[request] != nil, isDeclined { self.isOver = true }
        case .damaged(self.subject, self.store): self.isOver = true
        case .exchanged(nil, let access, _, _) where access.consent == self.consent: self.isOver = true
        default: break
        }
    }

    private mutating func observe(_ event: SimulationEvent, of process: ProcessID) {
        switch event.action {
        case .marked(self.subject, let isMarked, self.store):
            self.add(.mark, process, isMarked ? 1 : 0, event)
        case .sent(let request, let number):
            guard let token = request.refreshToken, token.consent == self.consent else { return }
            self.requests[number] = process
            self.add(.send, process, self.tokens[token] ?? 0, event)
        case .delivered(let response, let number):
            // Other responses show that the provider has not acted.
            guard self.requests[number] != nil, response.status < 500 else { return }
            self.add(.answer, process, 0, event)
        case .saved(let tokens, self.store) where tokens.subject == self.subject:
            if let token = tokens.refresh {
                guard self.unchecked.removeValue(forKey: process) != token else { return }
                if tokens.isUnchecked { self.unchecked[process] = token }
                self.add(.save, process, self.tokens[token] ?? 0, event)
            } else {
                self.add(.close, process, tokens.endReason == "interrupted" ? 1 : 0, event)
            }
        case .saveFailed(let tokens, self.store) where tokens.subject == self.subject:
            guard tokens.refresh.map({ $0.consent == self.consent }) ?? true else { return }
            if let token = tokens.refresh, self.unchecked.removeValue(forKey: process) == token { return }
            self.isOver = tokens.isUnchecked
            self.add(.fail, process, tokens.refresh == nil ? 1 : 0, event)
        case .removed(self.subject, self.store):
            guard self.hasRecord else { return }
            self.hasRecord = false
            self.add(.remove, process, 0, event)
        case .released(self.subject) where self.numbers[process] != nil: self.add(.release, process, 0, event)
        case .killed where self.numbers[process] != nil:
            self.add(.kill, process, 0, event)
            self.numbers[process] = nil
        default: break
        }
    }

    private mutating func observeOther(_ event: SimulationEvent) {
        switch event.action {
        case .refreshed(let old, _, let new, let request, _):
            guard let process = self.requests[request], old.consent == self.consent, let new else { return }
            self.judged.insert(request)
            self.tokens[new] = (self.tokens.values.max() ?? 0) + 1
            self.add(.accept, process, self.tokens[new] ?? 0, event)
        case .rejected(_, let request), .reuseDetected(_, let request):
            guard let process = self.requests[request] else { return }
            self.judged.insert(request)
            self.add(.reject, process, 0, event)
        case .revoked(self.consent): self.steps.append(Step(label: .revoke, process: 0, value: 0, event: event))
        default: break
        }
    }

    private mutating func add(_ label: Label, _ process: ProcessID, _ value: Int, _ event: SimulationEvent) {
        let number = self.numbers[process] ?? self.free
        self.numbers[process] = number
        self.processes = max(self.processes, number + 1)
        self.steps.append(Step(label: label, process: number, value: value, event: event))
    }

    /// The least number that no running process has.
    private var free: Int {
        let used = Set(self.numbers.values)
        return (0...used.count).first { !used.contains($0) } ?? 0
    }
}
