// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The access tokens that the API has rejected.
///
/// A process that used one looks for another token before the call returns, but only once for each token.
struct RejectedTokens: Sendable {
    private struct Key: Hashable {
        let process: ProcessID
        let subject: String
    }

    private struct Current {
        let token: SimulatedToken
        /// The time at which the token arrived or was saved, after which it is returned.
        var arrivedAt: Int64
        let lifetime: Int64
        var isSaved = false
    }

    private struct Rejection {
        let token: SimulatedToken
        let time: Int64
        /// The call that received the rejection, if the process was doing nothing else with the account.
        let call: Int?
        /// Whether the process has looked for another token.
        var isAnswered: Bool
    }

    private static let second: Int64 = 1_000_000_000

    /// The access tokens of requests for which the provider has sent a response, with their lifetimes.
    private var issued: [Int: (token: SimulatedToken, lifetime: Int64)] = [:]
    private var requests: [Int: (process: ProcessID, token: SimulatedToken?)] = [:]
    private var current: [Key: Current] = [:]
    private var rejections: [Key: Rejection] = [:]
    /// The times of operations that refresh a token for another reason.
    private var forced: [Key: Int64] = [:]
    private var operations: [Int: (key: Key, kind: SessionOperation.Kind)] = [:]
    /// The calls that may have received a rejection, after which a second one does not cause another search.
    private var rejectedCalls: Set<Int> = []

    /// Returns what happened if a rejected token was not replaced, or was replaced twice.
    mutating func observe(_ event: SimulationEvent) -> String? {
        let process: ProcessID? = if case .process(let id) = event.actor { id } else { nil }
        switch event.action {
        case .refreshed(_, let access, _, let number, let lifetime):
            self.issued[number] = (access, Int64(lifetime) * Self.second)
        case .sent(let request, let number): return self.sent(request, number, process ?? 0, event.time)
        case .delivered(let response, let number): self.delivered(response, number, event.time)
        case .saved(let tokens, _), .found(let tokens, _):
            let key = Key(process: process ?? 0, subject: tokens.subject)
            self.rejections[key]?.isAnswered = true
            if tokens.access == self.current[key]?.token {
                if case .saved = event.action, !tokens.isUnchecked {
                    self.current[key]?.isSaved = true
                    self.current[key]?.arrivedAt = event.time
                }
            } else {
                self.current[key] = nil
            }
        case .released(let subject): self.current[Key(process: process ?? 0, subject: subject)] = nil
        case .began(let number, let operation): self.begin(operation, number, process ?? 0, event.time)
        case .received(let number, _), .canceled(let number), .failed(let number, _), .ended(let number, _):
            self.operations[number] = nil
        case .succeeded(let number):
            guard let key = self.operations.removeValue(forKey: number)?.key, let rejection = self.rejections[key],
                !rejection.isAnswered, rejection.call == number
            else { return nil }
            return "operation \(number) returned after \(rejection.token) was rejected, without looking for another one"
        default: break
        }
        return nil
    }

    private mutating func begin(
        _ operation: SessionOperation,
        _ number: Int,
        _ process: ProcessID,
        _ time: Int64
    ) {
        let key = Key(process: process, subject: operation.subject)
        switch operation.kind {
        case .token, .tokens, .call, .redirectedCall: break
        default: self.forced[key] = time
        }
        self.operations[number] = (key, operation.kind)
    }

    private mutating func sent(
        _ request: SimulationEvent.Request,
        _ number: Int,
        _ process: ProcessID,
        _ time: Int64
    ) -> String? {
        if let token = request.accessToken {
            self.requests[number] = (process, token)
            let key = Key(process: process, subject: token.subject)
            if self.rejections[key]?.token != token { self.rejections[key]?.isAnswered = true }
        }
        guard let refresh = request.refreshToken else { return nil }
        self.requests[number] = (process, nil)
        let key = Key(process: process, subject: refresh.subject)
        self.rejections[key]?.isAnswered = true
        // A process that knows a token that is new and that no server has rejected does not need another one.
        guard let current = self.current[key], let rejection = self.rejections[key], current.isSaved,
            current.token.consent == refresh.consent, rejection.token != current.token,
            rejection.time >= current.arrivedAt, current.lifetime >= 120 * Self.second,
            time - current.arrivedAt < current.lifetime / 3,
            self.forced[key].map({ $0 < current.arrivedAt - 120 * Self.second }) ?? true
        else { return nil }
        return "process \(process) refreshed \(current.token), because \(rejection.token) was rejected again"
    }

    private mutating func delivered(_ response: SimulationEvent.Response, _ number: Int, _ time: Int64) {
        guard let request = self.requests.removeValue(forKey: number) else { return }
        if let (token, lifetime) = self.issued.removeValue(forKey: number) {
            let key = Key(process: request.process, subject: token.subject)
            self.current[key] = Current(token: token, arrivedAt: time, lifetime: lifetime)
        }
        guard response.status == 401, let token = request.token else { return }
        let key = Key(process: request.process, subject: token.subject)
        // A token that has just been obtained is not replaced again, and one of another process may be new.
        let isOld = self.current[key].map { $0.token == token && time - $0.arrivedAt > 60 * Self.second } ?? false
        if self.current[key]?.token == token { self.current[key] = nil }
        let active = self.operations.filter { $0.value.key == key }
        let calls = active.filter { $0.value.kind == .call }.keys
        let call = active.count == 1 ? calls.first : nil
        let isFirst = call.map { !self.rejectedCalls.contains($0) } ?? false
        // One of several calls has received the rejection.
        self.rejectedCalls.formUnion(calls)
        self.rejections[key] = Rejection(token: token, time: time, call: call, isAnswered: !isOld || !isFirst)
    }
}
