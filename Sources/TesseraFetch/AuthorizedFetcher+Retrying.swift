// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// A failed attempt, with the cause for the retry policy and the error to throw if the call is not retried.
struct FailedAttempt: Error {
    let cause: CallFailure.Cause
    let error: any Error
}

extension AuthorizedFetcher {
    /// Makes a call, retrying it until it succeeds or fails permanently.
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

    /// Makes one attempt of a call, an upload or a download.
    ///
    /// If the attempt will be retried, waits for the delay.
    ///
    /// - Parameters:
    ///   - request: The request for this attempt.
    ///   - body: The request body.
    ///   - options: The options for the call.
    ///   - budget: The remaining attempts and time.
    ///   - finish: Returns the result for a response that is not retried. If it throws a `TransportError` or
    ///     ``FailedAttempt``, the attempt has failed.
    /// - Returns: The value that `finish` returned, or nil after waiting if the call must be attempted again.
    /// - Throws: The error of the failed attempt, or any error that `finish` throws.
    func attempt<Result>(
        _ request: HTTPRequest,
        _ body: HTTPBody?,
        _ options: CallOptions,
        _ budget: inout RetryBudget,
        _ finish: (AuthorizedResponse, inout RetryBudget) async throws -> Result
    ) async throws -> Result? {
        var isReplayable = body?.isReplayable ?? true
        let failure: FailedAttempt
        do {
            var response = try await self.sendOnce(request, body, options)
            guard response.status >= 400 else { return try await finish(response, &budget) }
            let cause = CallFailure.Cause.response(response.head, body: try await self.judgedBody(of: &response))
            let wait = budget.wait(of: self, after: cause, to: request, options, isReplayable: isReplayable)
            guard let wait else { return try await finish(response, &budget) }
            await response.drain()
            // Releases the connection and the turn of a body that was too long to be drained.
            response.body = HTTPBody([])
            try await self.runtime.clock.sleep(for: wait)
            return nil
        } catch let error as TransportError {
            failure = FailedAttempt(cause: .transport(error), error: error)
        } catch let error as TokenUnavailable {
            failure = FailedAttempt(cause: .token(error.cause), error: error.cause)
            isReplayable = !error.isBodyUsed
        } catch let error as FailedAttempt {
            failure = error
        }
        let wait = budget.wait(of: self, after: failure.cause, to: request, options, isReplayable: isReplayable)
        guard let wait else { throw failure.error }
        try await self.runtime.clock.sleep(for: wait)
        return nil
    }

    /// Sends a request once, through the limiter and the interceptors.
    ///
    /// A token is added unless `options` disables it.
    func sendOnce(_ request: HTTPRequest, _ body: HTTPBody?, _ options: CallOptions) async throws -> AuthorizedResponse
    {
        let turn = try await self.settings.limiter?.enter(request.authority ?? "", priority: options.priority)
        var response =
            self.settings.interceptors.isEmpty
            ? try await self.response(to: request, body, options)
            : try await self.intercepted(request, body, options)
        if let turn {
            response.body = HTTPBody(length: response.body.length, source: PermitHoldingBody(response.body, turn))
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
            return try await self.runtime.transport.send(request, body: body, following: self.settings.redirects)
        }
        return try await self.runtime.transport.send(
            request,
            body: body,
            authorizedBy: self.source,
            within: origins,
            following: self.settings.redirects
        )
    }

    /// Returns the body of a failed response if the policy reads it.
    ///
    /// The caller can still read the body.
    private func judgedBody(of response: inout AuthorizedResponse) async throws -> [UInt8]? {
        guard self.settings.retryPolicy.readsBody(of: response.head) else { return nil }
        let limit = 1 << 20
        // If the announced length is larger, leave the body unread for the caller.
        if let length = response.body.length, length > Int64(limit) { return nil }
        do {
            let bytes = try await response.body.collect(upTo: limit)
            response.body = HTTPBody(bytes)
            return bytes
        } catch is TransportError {
            // The body is too long, or the connection was lost. The status alone decides.
            response.body = HTTPBody([])
            return nil
        }
    }

    /// Returns the error for a response with an unsuccessful status.
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

/// The last response from the network.
///
/// An interceptor may have replaced it for the caller.
private final class LastResponse: Sendable {
    let response = Mutex<AuthorizedResponse?>(nil)
}
