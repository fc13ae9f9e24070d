// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Checks that a new refresh token is saved before the provider's keys are fetched to check the ID token.
///
/// The keys are also fetched if the save has failed. A sign-in has no record, so it fetches them before it saves one.
struct KeyFetches: Sendable {
    /// The stage that a process has reached in handling a response.
    private enum Stage {
        /// The new refresh token must be saved.
        case received
        /// The ID token can be checked.
        case checking
    }

    /// The refresh tokens in the records of sessions.
    private var saved: Set<SimulatedToken> = []
    /// The access tokens that the provider has issued with an ID token, for each request.
    private var issued: [Int: SimulatedToken] = [:]
    /// The token requests that were sent, with the refresh tokens that they use.
    private var requests: [Int: (process: ProcessID, refresh: SimulatedToken?)] = [:]
    /// The responses of each process, by their access tokens.
    private var responses: [ProcessID: [SimulatedToken: Stage]] = [:]

    /// Returns how an event violates the promise, or nil.
    mutating func observe(_ event: SimulationEvent) -> String? {
        switch (event.action, event.actor) {
        case (.exchanged(_, let access, let number, _), _), (.refreshed(_, let access, _, let number, _), _):
            if SimulatedIssuer(of: access.subject) == .openID { self.issued[number] = access }
        case (.sent(let request, let number), .process(let process)):
            guard request.origin == SimulatedIssuer.openID.url else { return nil }
            self.requests[number] = (process, request.refreshToken)
            let responses = self.responses[process] ?? [:]
            // Another response may be the reason for the fetch.
            guard request.path == SimulatedProvider.keysPath, !responses.values.contains(.checking),
                let access = responses.keys.min(by: { $0.number < $1.number })
            else { return nil }
            return "process \(process) fetched keys before it saved the refresh token that it received with \(access)"
        case (.delivered(let response, let number), .process(let process)):
            guard let access = self.issued.removeValue(forKey: number), let request = self.requests[number]
            else { return nil }
            let isOfSession = request.refresh.map(self.saved.contains) ?? false
            let mustBeSaved = isOfSession && response.refreshToken != nil
            self.responses[process, default: [:]][access] = mustBeSaved ? .received : .checking
        case (.saved(let tokens, _), .process(let process)):
            if let refresh = tokens.refresh { self.saved.insert(refresh) }
            self.advance(tokens.access, process)
        case (.found(let tokens, _), _): if let refresh = tokens.refresh { self.saved.insert(refresh) }
        case (.saveFailed(let tokens, _), .process(let process)): self.advance(tokens.access, process)
        case (.killed, .process(let process)): self.responses[process] = nil
        default: break
        }
        return nil
    }

    /// The first save precedes the check of the ID token, and the second one follows it.
    private mutating func advance(_ access: SimulatedToken?, _ process: ProcessID) {
        guard let access, let stage = self.responses[process]?[access] else { return }
        self.responses[process]?[access] = stage == .received ? .checking : nil
    }
}
