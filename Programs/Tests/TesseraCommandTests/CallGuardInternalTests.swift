// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
@testable internal import TesseraCommand
@testable internal import TesseraConsole
internal import TesseraJSON
internal import TesseraOAuth
internal import Testing

@Suite("Calls that only read")
struct CallGuardInternalTests {
    private static func request(
        _ method: HTTPRequest.Method,
        _ path: String = "/drive/v3/files",
        _ fields: HTTPFields = [:]
    ) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "https", authority: "example.com", path: path, headerFields: fields)
    }

    @Test("Reads with GET and HEAD, and writes with every other method")
    func methods() {
        for method in [HTTPRequest.Method.get, .head] {
            #expect(ReadOnlyCalls.contains(Self.request(method), nil))
        }
        for method in [HTTPRequest.Method.post, .put, .patch, .delete, .options, .trace] {
            #expect(!ReadOnlyCalls.contains(Self.request(method), nil), "\(method)")
        }
    }

    @Test(
        "Reads with POST only at the addresses of known queries",
        arguments: [
            ("/calendar/v3/freeBusy", true), ("/calendar/v3/freeBusy?x=1", true),
            ("/v4/spreadsheets/x:getByDataFilter", true), ("/v4/spreadsheets/x:batchUpdate", false),
            ("/files?x=/calendar/v3/freeBusy", false), ("/calendar/v3/freeBusy/x", false),
        ]
    )
    func queries(_ path: String, _ reads: Bool) {
        #expect(ReadOnlyCalls.contains(Self.request(.post, path), nil) == reads)
        #expect(!ReadOnlyCalls.contains(Self.request(.put, path), nil))
    }

    @Test("Respects a field that replaces the method")
    func overrides() throws {
        let names = ["X-HTTP-Method-Override", "x-http-method", "X-Method-Override"]
        for name in try names.map({ try #require(HTTPField.Name($0)) }) {
            #expect(ReadOnlyCalls.contains(Self.request(.post, "/x", [name: "GET"]), nil))
            #expect(!ReadOnlyCalls.contains(Self.request(.get, "/x", [name: "DELETE"]), nil))
            #expect(!ReadOnlyCalls.contains(Self.request(.delete, "/x", [name: "GET"]), nil))
        }
    }

    @Test(
        "Reads with a batch only if it contains nothing but GET requests",
        arguments: [
            (["GET /a HTTP/1.1"], true), (["GET /a HTTP/1.1", "GET /b HTTP/1.1"], true),
            (["GET /a HTTP/1.1", "DELETE /b HTTP/1.1"], false), (["POST /a HTTP/1.1"], false),
            (["GET /a HTTP/1.1\r\nX-HTTP-Method-Override: DELETE"], false), ([], false),
            (["GET /a HTTP/1.1\n\nDELETE /b HTTP/1.1"], false), (["GET /a\u{301} HTTP/1.1"], false),
        ] as [([String], Bool)]
    )
    func batches(_ calls: [String], _ reads: Bool) {
        let parts = calls.map { "--b\r\nContent-Type: application/http\r\n\r\n\($0)\r\n\r\n\r\n" }
        let request = Self.request(.post, "/batch", [.contentType: "multipart/mixed; boundary=b"])
        #expect(ReadOnlyCalls.contains(request, HTTPBody(parts.joined() + "--b--\r\n")) == reads)
        #expect(!ReadOnlyCalls.contains(request, HTTPBody(parts.joined())))
        #expect(!ReadOnlyCalls.contains(request, nil))
    }

    @Test("Prints a request without its credentials")
    func report() async throws {
        let key = try #require(HTTPField.Name("X-Goog-Api-Key"))
        let fields: HTTPFields = [
            .authorization: "Bearer ya29.secret", key: "secret", .cookie: "secret", .contentType: "application/json",
        ]
        let report = try await RequestReport(Self.request(.post, "/x?q=\u{1B}", fields), HTTPBody(#"{"a": 1}"#))
        #expect(!report.text.description.contains("secret"))
        #expect(!report.json.text().contains("secret"))
        #expect(report.text.description.hasPrefix("POST https://example.com/x?q="))
        #expect(report.text.description.hasSuffix("application/json\n\n{\"a\": 1}"))
        #expect(report.json["body"]?["a"]?.text() == "1")
        let binary = try await RequestReport(Self.request(.put), HTTPBody([0xFF, 0xFE]))
        #expect(binary.text.description.hasSuffix("(2 bytes)"))
    }
}
