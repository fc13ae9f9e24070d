// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraOAuth
internal import Testing

@Suite("Google's retry policy")
struct GoogleRetryPolicyTests {
    private static func decision(
        _ status: Int,
        _ body: String = "",
        path: String = "/x",
        isIdempotent: Bool = false,
        retryAfter: String? = nil
    ) -> RetryDecision {
        var response = HTTPResponse(status: .init(code: status))
        response.headerFields[.retryAfter] = retryAfter
        return GoogleRetryPolicy()
            .decision(
                for: CallFailure(
                    request: HTTPRequest(method: .post, scheme: "https", authority: "a.example", path: path),
                    cause: .response(response, body: Array(body.utf8)),
                    isIdempotent: isIdempotent,
                    date: Date(timeIntervalSince1970: 0)
                )
            )
    }

    private static func reason(_ name: String) -> String { #"{"error": {"errors": [{"reason": "\#(name)"}]}}"# }

    @Test(
        "Retries a rate-limited call with any method, but not after an exhausted quota",
        arguments: [
            ("rateLimitExceeded", true), ("userRateLimitExceeded", true), ("quotaExceeded", false),
            ("dailyLimitExceeded", false), ("sharingRateLimitExceeded", false), ("forbidden", false),
            ("insufficientPermissions", false),
        ]
    )
    func limits(_ name: String, isRetried: Bool) {
        #expect(Self.decision(403, Self.reason(name)) == (isRetried ? .retry() : .fail))
        #expect(Self.decision(403, Self.reason(name), isIdempotent: true) == (isRetried ? .retry() : .fail))
    }

    @Test("Retries a 429 unless the quota is exhausted, but not a 403 without a reason")
    func statuses() {
        #expect(Self.decision(429) == .retry())
        #expect(Self.decision(429, Self.reason("quotaExceeded")) == .fail)
        #expect(Self.decision(403) == .fail)
        #expect(Self.decision(404, Self.reason("rateLimitExceeded")) == .fail)
        #expect(Self.decision(503) == .fail)
        #expect(Self.decision(503, isIdempotent: true) == .retry())
    }

    @Test("Waits at least for the longer of RetryInfo and Retry-After")
    func waits() {
        let body = """
            {"error": {"status": "RESOURCE_EXHAUSTED", "details": [
             {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "12.5s"}]}}
            """
        #expect(Self.decision(429, body) == .retry(notBefore: .seconds(12.5)))
        #expect(Self.decision(429, body, retryAfter: "20") == .retry(notBefore: .seconds(20)))
        #expect(Self.decision(503, body, isIdempotent: true, retryAfter: "3") == .retry(notBefore: .seconds(12.5)))
    }

    @Test("Retries a request with a generation precondition or a request ID")
    func names() {
        #expect(Self.decision(503, path: "/o?ifGenerationMatch=0") == .retry())
        #expect(Self.decision(503, path: "/o?a=b&requestId=7") == .retry())
        #expect(Self.decision(503, path: "/o?requestId=") == .fail)
        #expect(Self.decision(503, path: "/requestId=7") == .fail)
    }
}
