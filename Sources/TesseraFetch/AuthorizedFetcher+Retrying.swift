// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// An attempt that failed: how the policy sees it, and the error if no other attempt follows.
struct FailedAttempt: Error {
    let outcome: CallFailure.Outcome
    let error: any Error
}

extension AuthorizedFetcher {
    /// Makes a call until it succeeds or fails for good.
    func call<Result>(
        _ request: HTTPRequest,
        _ body: HTTPBody?,
        _ options: CallOptions,
        _ finish: (AuthorizedResponse, inout RetryBudget) async throws -> Result
    ) async throws -> Result {
        var budget = RetryBudget(of: self, options)
        while true {
            if let result = try await self.attempt(request, body, options, &budget, finish) { return result }
        }
    }

    /// Makes one attempt of a call, an upload or a download: the one place that asks the policy and waits.
    ///
    /// - Parameters:
    ///   - request: The request of this attempt.
    ///   - body: Its body.
    ///   - options: The options of the call.
    ///   - budget: The attempts and the time that are left.
    ///   - finish: Makes the result of a response that is not retried. A `TransportError` or a ``FailedAttempt`` that it
    ///     throws is a failure of the attempt.
    /// - Returns: The result of `finish`; nil once the time is over that had to pass before another attempt.
    /// - Throws: The error of the attempt, or of `finish`.
    func attempt<Result>(
        _ request: HTTPRequest,
        _ body: HTTPBody?,
        _ options: CallOptions,
        _ budget: inout RetryBudget,
        _ finish: (AuthorizedResponse, inout RetryBudget) async throws -> Result
    ) async throws -> Result? {
        let isReplayable = body?.isReplayable ?? true
        let failure: FailedAttempt
        do {
            var response = try await self.sendOnce(request, body, options)
            guard response.status >= 400 else { return try await finish(response, &budget) }
            let outcome = CallFailure.Outcome.response(response.head, body: try await self.judgedBody(of: &response))
            let wait = budget.wait(of: self, after: outcome, to: request, options, isReplayable: isReplayable)
            guard let wait else { return try await finish(response, &budget) }
            await response.drain()
            try await self.runtime.clock.sleep(for: wait)
            return nil
        } catch let error as TransportError {
            failure = FailedAttempt(outcome: .transport(error), error: error)
        } catch let error as TokenUnavailable {
            failure = FailedAttempt(outcome: .token(error.cause), error: error.cause)
        } catch let error as FailedAttempt {
            failure = error
        }
        let wait = budget.wait(of: self, after: failure.outcome, to: request, options, isReplayable: isReplayable)
        guard let wait else { throw failure.error }
        try await self.runtime.clock.sleep(for: wait)
        return nil
    }

    /// Sends a request once: when the limiter permits it, through the interceptors, with a token unless `options` say that
    /// there is none.
    func sendOnce(_ request: HTTPRequest, _ body: HTTPBody?, _ options: CallOptions) async throws -> AuthorizedResponse
    {
        let turn = try await self.settings.limiter?.enter(request.authority ?? "", priority: options.priority)
        var response =
            self.settings.interceptors.isEmpty
            ? try await self.response(to: request, body, options)
            : try await self.intercepted(request, body, options)
        if let turn {
            response.body = HTTPBody(length: response.body.length, source: HeldBody(response.body, turn))
        }
        return response
    }

    private func intercepted(
        _ request: HTTPRequest,
        _ body: HTTPBody?,
        _ options: CallOptions
    ) async throws -> AuthorizedResponse {
        let last = LastResponse()
        var chain = FetchChain { request, body in
            let response = try await self.response(to: request, body, options)
            last.response.withLock { $0 = response }
            return (response.head, response.body)
        }
        for interceptor in self.settings.interceptors.reversed() {
            chain = FetchChain { [chain] in try await interceptor.intercept($0, body: $1, next: chain) }
        }
        let (head, body) = try await chain(request, body)
        let sent = last.response.withLock { $0 }
        var response = AuthorizedResponse(head, body, token: sent?.token)
        response.proof = sent?.proof
        return response
    }

    private func response(
        to request: HTTPRequest,
        _ body: HTTPBody?,
        _ options: CallOptions
    ) async throws -> AuthorizedResponse {
        let origins = self.source.authorizedOrigins
        guard options.hasToken else {
            try request.check(within: origins)
            let (head, content) = try await self.runtime.transport.send(request, body: body)
            return AuthorizedResponse(head, content, token: nil)
        }
        return try await self.runtime.transport.send(
            request,
            body: body,
            authorizedBy: self.source,
            within: origins,
            following: self.settings.redirects
        )
    }

    /// The body of a failure if the policy reads it; the caller can still read it afterwards.
    private func judgedBody(of response: inout AuthorizedResponse) async throws -> [UInt8]? {
        guard self.settings.retryPolicy.readsBody(of: response.head) else { return nil }
        let limit = 1 << 20
        // A body that announces a larger length is left unread for the caller.
        if let length = response.body.length, length > Int64(limit) { return nil }
        do {
            let bytes = try await response.body.collect(upTo: limit)
            response.body = HTTPBody(bytes)
            return bytes
        } catch let error as TransportError where error.code == .bodyTooLarge {
            response.body = HTTPBody([])
            return nil
        }
    }

    /// The error of a response whose status is not a success.
    func error(of response: AuthorizedResponse) async -> any Error {
        let secrets = response.secrets
        if let failure = self.settings.failure {
            return failure(response.head, (try? await response.body.collect(upTo: 1 << 20)) ?? [], secrets)
        }
        if let challenge = BearerChallengeError(response.head) { return challenge.without(secrets) }
        let wait = response.head.retryAfter(at: self.runtime.now())
        return HTTPStatusError(
            status: response.status,
            endpoint: "API",
            retryAfter: wait.map { Int(clamping: $0.components.seconds) }
        )
    }
}

/// The response that came from the network, whatever the interceptors made of it.
private final class LastResponse: Sendable {
    let response = Mutex<AuthorizedResponse?>(nil)
}
