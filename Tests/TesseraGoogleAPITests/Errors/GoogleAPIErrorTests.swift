// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Google API errors")
struct GoogleAPIErrorTests {
    private static func error(_ status: Int, _ body: String, _ fields: HTTPFields = [:]) -> GoogleAPIError {
        GoogleAPIError(HTTPResponse(status: .init(code: status), headerFields: fields), body: Array(body.utf8))
    }

    @Test("Parses the older error format with its code, message and reasons")
    func olderForm() {
        let error = Self.error(
            403,
            """
            {"error": {"code": 403, "message": "Rate Limit Exceeded", "errors": [{"domain": "usageLimits",
             "reason": "rateLimitExceeded", "message": "Rate Limit Exceeded", "locationType": "parameter",
             "location": "pageSize", "extendedHelp": "https://console.example"}, {"nothing": 1}, 7]}}
            """
        )
        #expect(error.httpStatus == 403)
        #expect(error.message == "Rate Limit Exceeded")
        #expect(error.status == nil)
        #expect(error.reasons.count == 1)
        #expect(error.reasonNames == ["rateLimitExceeded"])
        #expect(error.reasons[0].domain == "usageLimits")
        #expect(error.reasons[0].location == "pageSize")
        #expect(error.isRateLimited)
        #expect(error.isRetryable)
        #expect(!error.endsSession)
        #expect(!error.isInsufficientScope)
        #expect(error.description == "The API rejected the call (HTTP 403, rateLimitExceeded): Rate Limit Exceeded")
        #expect(error.recoverySuggestion == "Wait a moment and try again.")
    }

    @Test("Parses the newer error format with its status and details, including unknown details")
    func newerForm() {
        let error = Self.error(
            429,
            """
            {"error": {"code": 429, "message": "Quota exceeded", "status": "RESOURCE_EXHAUSTED", "details": [
             {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "RATE_LIMIT_EXCEEDED",
              "domain": "googleapis.com", "metadata": {"service": "drive.googleapis.com", "odd": 1}},
             {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "12.5s"},
             {"@type": "type.googleapis.com/google.rpc.QuotaFailure",
              "violations": [{"subject": "project:1", "description": "per minute"}]},
             {"@type": "type.googleapis.com/google.rpc.BadRequest",
              "fieldViolations": [{"field": "name", "description": "too long"}]},
             {"@type": "type.googleapis.com/google.rpc.PreconditionFailure",
              "violations": [{"type": "TOS", "subject": "x", "description": "accept"}]},
             {"@type": "type.googleapis.com/google.rpc.Help",
              "links": [{"description": "more", "url": "https://help.example"}]},
             {"@type": "type.googleapis.com/google.rpc.LocalizedMessage", "locale": "de", "message": "Zu viel"},
             {"@type": "type.googleapis.com/google.rpc.ResourceInfo", "resourceType": "file", "resourceName": "a",
              "description": "gone"},
             {"@type": "type.googleapis.com/google.rpc.RequestInfo", "requestId": "r-7"},
             {"@type": "type.googleapis.com/example.Own", "x": [1]}, {"no": "type"}]}}
            """
        )
        #expect(error.status == "RESOURCE_EXHAUSTED")
        #expect(error.retryAfter == 12.5)
        #expect(error.requestID == "r-7")
        #expect(error.reasonNames == ["RATE_LIMIT_EXCEEDED"])
        #expect(error.isRateLimited)
        #expect(
            error.details == [
                .errorInfo(
                    GoogleErrorDetail.ErrorInfo(
                        reason: "RATE_LIMIT_EXCEEDED",
                        domain: "googleapis.com",
                        metadata: ["service": "drive.googleapis.com"]
                    )
                ),
                .retryInfo(seconds: 12.5),
                .quotaFailure([GoogleErrorDetail.Violation(subject: "project:1", description: "per minute")]),
                .badRequest([GoogleErrorDetail.Violation(subject: "name", description: "too long")]),
                .preconditionFailure([GoogleErrorDetail.Violation(subject: "TOS", description: "accept")]),
                .help([GoogleErrorDetail.Link(description: "more", url: "https://help.example")]),
                .localizedMessage(locale: "de", message: "Zu viel"),
                .resourceInfo(type: "file", name: "a", description: "gone"), .requestInfo(id: "r-7"),
                .other(
                    type: "type.googleapis.com/example.Own",
                    json: #"{"@type": "type.googleapis.com/example.Own", "x": [1]}"#
                ),
            ]
        )
        #expect(error.recoverySuggestion == "Try again in 13 seconds.")
    }

    @Test(
        "Creates an error with the HTTP status from any other body, such as HTML",
        arguments: [
            ("<html>", nil, nil), ("", nil, nil), ("[]", nil, nil), ("7", nil, nil), ("{\"error\": 7}", nil, nil),
            (#"[{"error": {"message": "broke off", "status": "ABORTED"}}]"#, "ABORTED", "broke off"),
            (#"{"error": "invalid_grant", "error_description": "gone"}"#, "invalid_grant", "gone"),
            (#"{"error": {"message": 5, "errors": {}, "details": "x"}}"#, nil, nil),
        ] as [(String, String?, String?)]
    )
    func others(_ body: String, _ status: String?, _ message: String?) {
        let error = Self.error(500, body)
        #expect(error.httpStatus == 500)
        #expect(error.status == status)
        #expect(error.message == message)
        #expect(error.isRetryable)
        #expect(error.reasons.isEmpty)
        #expect(error.details.isEmpty)
    }

    @Test("Detects insufficient scopes in the challenge or the reason and suggests granting more")
    func scopes() {
        let fields: HTTPFields = [
            .wwwAuthenticate:
                #"Bearer realm="x", error="insufficient_scope", scope="https://drive.example https://more.example""#
        ]
        let named = Self.error(403, #"{"error": {"code": 403, "message": "no"}}"#, fields)
        #expect(named.neededScopes == ["https://drive.example", "https://more.example"])
        #expect(named.isInsufficientScope)
        #expect(
            named.recoverySuggestion == "Ask the user to grant more scopes: https://drive.example https://more.example"
        )
        #expect(!named.isRetryable)
        let reason = Self.error(403, #"{"error": {"errors": [{"reason": "insufficientPermissions"}]}}"#)
        #expect(reason.isInsufficientScope)
        #expect(reason.recoverySuggestion == "Ask the user to grant more scopes.")
    }

    @Test("Redacts a token that the API repeats anywhere in its error", .covers(124))
    func secrets() async throws {
        let body = """
            {"error": {"code": 400, "message": "bad token token-secret-1", "status": "x-token-secret-1", "errors": [
             {"reason": "token-secret-1", "domain": "token-secret-1", "location": "token-secret-1"}], "details": [
             {"@type": "a/google.rpc.ErrorInfo", "reason": "token-secret-1", "metadata": {"token-secret-1": "token-secret-1"}},
             {"@type": "a/token-secret-1", "x": "token-secret-1"}]}}
            """
        let fields: HTTPFields = [
            .wwwAuthenticate:
                #"Bearer error="insufficient_scope", error_description="token-secret-1", scope="token-secret-1""#
        ]
        let network = ScriptedTransport([
            .json(body, status: .badRequest), .status(.forbidden, headerFields: fields), .json("{}"),
        ])
        let fetcher = AuthorizedFetcher(
            try FixedTokenSource("token-secret-1", for: "https://www.googleapis.com"),
            transport: network,
            settings: .google
        )
        let request = try HTTPRequest(url: "https://www.googleapis.com/drive/v3/files")
        for _ in 0..<2 {
            let error = try #require(
                await #expect(throws: GoogleAPIError.self) { try await fetcher.data(for: request) }
            )
            var text = ""
            dump(error, to: &text)
            #expect(!"\(error) \(error.recoverySuggestion ?? "") \(text)".contains("token-secret-1"))
            #expect(text.contains("<redacted>"))
        }
        #expect(try await fetcher.data(for: request) == Array("{}".utf8))
    }
}
