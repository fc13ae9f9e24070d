// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraFetch
internal import TesseraOAuth

/// The retry rules for Google's APIs, in addition to those of HTTP.
///
/// A rate limit with status 403 is retried, but an exhausted quota is not. `RetryInfo` has the same meaning as
/// `Retry-After`. A request with a precondition or a request ID is idempotent.
///
/// | Failure | Idempotent call | Other call |
/// | --- | --- | --- |
/// | 403 or 429 `rateLimitExceeded`, `userRateLimitExceeded`, `RATE_LIMIT_EXCEEDED` | retry | retry |
/// | 403 or 429 `quotaExceeded`, `dailyLimitExceeded` | final | final |
/// | All other failures | as `StandardRetryPolicy` | as `StandardRetryPolicy` |
///
/// - SeeAlso: [Retry strategy, Cloud Storage](https://cloud.google.com/storage/docs/retry-strategy)
public struct GoogleRetryPolicy: RetryPolicy, Hashable {
    private let standard = StandardRetryPolicy()

    /// Creates the policy.
    public init() {}

    /// Returns true for 403, 429 and 5xx responses, because their bodies contain the reason.
    public func readsBody(of response: HTTPResponse) -> Bool {
        let status = response.status.code
        return status == 403 || status == 429 || 500...599 ~= status
    }

    /// Returns whether to retry a call, as described in the table above.
    public func decision(for failure: CallFailure) -> RetryDecision {
        let failure = CallFailure(
            request: failure.request,
            cause: failure.cause,
            isIdempotent: failure.isIdempotent || Self.namesItself(failure.request),
            date: failure.date
        )
        let decision = self.standard.decision(for: failure)
        guard case .response(let response, let body?) = failure.cause else { return decision }
        let error = GoogleAPIError(response, body: body)
        let isRetried = [403, 429].contains(error.httpStatus) ? error.isRateLimited : decision != .fail
        guard isRetried else { return .fail }
        let named = error.retryAfter.map { Duration.seconds($0) } ?? .zero
        if case .retry(let wait) = decision { return .retry(notBefore: max(wait, named)) }
        return .retry(notBefore: named)
    }

    /// Whether the query has a precondition or a request ID, which means that the server performs a repeated request
    /// only once.
    private static func namesItself(_ request: HTTPRequest) -> Bool {
        guard let query = request.path?.split(separator: "?", maxSplits: 1).dropFirst().first else { return false }
        return query.split(separator: "&")
            .contains { parameter in
                let name = parameter.prefix { $0 != "=" }
                return ["ifGenerationMatch", "ifMetagenerationMatch", "requestId"].contains { name == $0 }
                    && parameter.utf8.count > name.utf8.count + 1
            }
    }
}

extension FetchSettings {
    /// The settings with Google's retry rules and errors.
    public static var google: FetchSettings { FetchSettings().forGoogle }

    /// The settings with Google's errors and with Google's retry rules in place of the standard ones.
    var forGoogle: FetchSettings {
        var settings = self
        if settings.retryPolicy is StandardRetryPolicy { settings.retryPolicy = GoogleRetryPolicy() }
        settings.failure = { response, body, secrets in GoogleAPIError(response, body: body, without: secrets) }
        return settings
    }
}
