// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraOAuth
internal import Testing

@Suite("What Google's APIs want to be sent again")
struct GoogleRetryPolicyTests {
    private static func verdict(
        _ status: Int,
        _ body: String = "",
        path: String = "/x",
        isIdempotent: Bool = false,
        retryAfter: String? = nil
    ) -> RetryVerdict {
        var response = HTTPResponse(status: .init(code: status))
        response.headerFields[.retryAfter] = retryAfter
        return GoogleRetryPolicy()
            .verdict(
                on: CallFailure(
                    request: HTTPRequest(method: .post, scheme: "https", authority: "a.example", path: path),
                    outcome: .response(response, body: Array(body.utf8)),
                    isIdempotent: isIdempotent,
                    date: Date(timeIntervalSince1970: 0)
                )
            )
    }

    private static func reason(_ name: String) -> String { #"{"error": {"errors": [{"reason": "\#(name)"}]}}"# }

    @Test(
        "A rate limit is made again whatever the method, a quota that is used up is not",
        arguments: [
            ("rateLimitExceeded", true), ("userRateLimitExceeded", true), ("quotaExceeded", false),
            ("dailyLimitExceeded", false), ("sharingRateLimitExceeded", false), ("forbidden", false),
            ("insufficientPermissions", false),
        ]
    )
    func limits(_ name: String, isRetried: Bool) {
        #expect(Self.verdict(403, Self.reason(name)) == (isRetried ? .again() : .final))
        #expect(Self.verdict(403, Self.reason(name), isIdempotent: true) == (isRetried ? .again() : .final))
    }

    @Test("429 is made again but for a used-up quota; 403 without a reason is not")
    func statuses() {
        #expect(Self.verdict(429) == .again())
        #expect(Self.verdict(429, Self.reason("quotaExceeded")) == .final)
        #expect(Self.verdict(403) == .final)
        #expect(Self.verdict(404, Self.reason("rateLimitExceeded")) == .final)
        #expect(Self.verdict(503) == .final)
        #expect(Self.verdict(503, isIdempotent: true) == .again())
    }

    @Test("RetryInfo and Retry-After are the least that is waited, whichever is longer")
    func waits() {
        let body = """
            {"error": {"status": "RESOURCE_EXHAUSTED", "details": [
             {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "12.5s"}]}}
            """
        #expect(Self.verdict(429, body) == .again(notBefore: .seconds(12.5)))
        #expect(Self.verdict(429, body, retryAfter: "20") == .again(notBefore: .seconds(20)))
        #expect(Self.verdict(503, body, isIdempotent: true, retryAfter: "3") == .again(notBefore: .seconds(12.5)))
    }

    @Test("What names its generation or its request is carried out once, and may be sent twice")
    func names() {
        #expect(Self.verdict(503, path: "/o?ifGenerationMatch=0") == .again())
        #expect(Self.verdict(503, path: "/o?a=b&requestId=7") == .again())
        #expect(Self.verdict(503, path: "/o?requestId=") == .final)
        #expect(Self.verdict(503, path: "/requestId=7") == .final)
    }
}
