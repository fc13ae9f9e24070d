// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth

extension AuthorizedFetcher {
    /// Makes a call until it succeeds, or fails for good, and hands its answer to `finish`.
    ///
    /// What `finish` finds wrong with the network is a failure of the call.
    func call<Result>(
        _ request: HTTPRequest,
        _ body: HTTPBody?,
        _ options: CallOptions,
        _ finish: (Answer) async throws -> Result
    ) async throws -> Result {
        var patience = Patience(of: self, options)
        while true {
            let outcome: CallFailure.Outcome
            let last: Swift.Result<Answer, any Error>
            do {
                var answer = try await self.attempt(request, body, options, hasToken: options.hasToken)
                guard answer.status >= 400 else { return try await finish(answer) }
                outcome = .response(answer.response, body: try await self.judgedBody(of: &answer))
                last = .success(answer)
            } catch let error as TransportError {
                outcome = .transport(error)
                last = .failure(error)
            } catch let error as TokenUnavailable {
                outcome = .token(error.cause)
                last = .failure(error.cause)
            }
            let wait = patience.wait(
                of: self,
                after: outcome,
                to: request,
                isIdempotent: options.isIdempotent(request),
                isReplayable: body?.isReplayable ?? true
            )
            guard let wait else { return try await finish(last.get()) }
            if case .success(let answer) = last { await Self.drain(answer.body) }
            try await self.runtime.clock.sleep(for: wait)
        }
    }

    /// The body of a failure, where it decides; whoever gets the answer can still read it.
    func judgedBody(of answer: inout Answer) async throws -> [UInt8]? {
        guard self.settings.retryPolicy.readsBody(of: answer.response) else { return nil }
        let limit = 1 << 20
        // One that says its length stays the caller's, unread; of any other nobody knows before.
        if let length = answer.body.length, length > Int64(limit) { return nil }
        do {
            let bytes = try await answer.body.collect(upTo: limit)
            answer.body = HTTPBody(bytes)
            return bytes
        } catch let error as TransportError where error.code == .bodyTooLarge {
            answer.body = HTTPBody([])
            return nil
        }
    }
}

/// No token could be had.
struct TokenUnavailable: Error {
    let cause: any Error
}
