// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraFetch
internal import TesseraOAuth

/// Google's own rules beside HTTP's: a 403 that is a rate limit is made again, a used-up quota is not, `RetryInfo` counts
/// as `Retry-After` does, and what names its version or its request may be sent twice.
///
/// | failure | idempotent call | any other |
/// | --- | --- | --- |
/// | 403 or 429 `rateLimitExceeded`, `userRateLimitExceeded`, `RATE_LIMIT_EXCEEDED` | again | again |
/// | 403 or 429 `quotaExceeded`, `dailyLimitExceeded` | final | final |
/// | any other | as `StandardRetryPolicy` | as `StandardRetryPolicy` |
///
/// - SeeAlso: [Retry strategy, Cloud Storage](https://cloud.google.com/storage/docs/retry-strategy)
public struct GoogleRetryPolicy: RetryPolicy, Hashable {
    private let standard = StandardRetryPolicy()

    /// The rules.
    public init() {}

    /// 403, 429 and 5xx say more in their bodies.
    public func readsBody(of response: HTTPResponse) -> Bool {
        let status = response.status.code
        return status == 403 || status == 429 || 500...599 ~= status
    }

    /// The table's row.
    public func verdict(on failure: CallFailure) -> RetryVerdict {
        let failure = CallFailure(
            request: failure.request,
            outcome: failure.outcome,
            isIdempotent: failure.isIdempotent || Self.namesItself(failure.request),
            date: failure.date
        )
        let verdict = self.standard.verdict(on: failure)
        guard case .response(let response, let body?) = failure.outcome else { return verdict }
        let error = GoogleAPIError(response, body: body)
        let isRetried = [403, 429].contains(error.httpStatus) ? error.isRateLimited : verdict != .final
        guard isRetried else { return .final }
        let named = error.retryAfter.map { Duration.seconds($0) } ?? .zero
        if case .again(let wait) = verdict { return .again(notBefore: max(wait, named)) }
        return .again(notBefore: named)
    }

    /// Whether the call is one that a server carries out once, however often it comes.
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
    /// Settings with Google's retry rules and errors.
    public static var google: FetchSettings { FetchSettings().forGoogle }

    /// The settings with Google's errors, and with Google's retry rules if they have HTTP's.
    var forGoogle: FetchSettings {
        var settings = self
        if settings.retryPolicy is StandardRetryPolicy { settings.retryPolicy = GoogleRetryPolicy() }
        settings.failure = { response, body, secrets in GoogleAPIError(response, body: body, without: secrets) }
        return settings
    }
}
