// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TestTraits
internal import Testing
@testable internal import TesseraGoogleAPI

@Suite("Batch responses")
struct MultipartMixedTests {
    private static let type = "multipart/mixed; boundary=x"

    private static func part(
        _ fields: String = "Content-ID: <response-0>",
        _ head: String = "HTTP/1.1 200 OK",
        body: String = "{}"
    ) -> String {
        "--x\r\nContent-Type: application/http\r\n\(fields)\r\n\r\n\(head)\r\n\r\n\(body)\r\n"
    }

    private static func responses(
        _ body: String,
        _ contentType: String? = Self.type,
        atMost count: Int = 3
    ) throws -> [Int: BatchPartResponse] {
        try MultipartMixed.responses(in: Array(body.utf8), contentType: contentType, atMost: count)
    }

    @Test(
        "Finds the boundary in Content-Type regardless of other parameters",
        .covers(150),
        arguments: [
            "multipart/mixed;boundary=x", "Multipart/MIXED; Boundary=\"x\"", "multipart/mixed; charset=u; boundary=x ",
            "multipart/mixed; xboundary=y; boundary=x", "multipart/mixed; a=\"; boundary=q\"; boundary=x",
            #"multipart/mixed; a="\"; boundary=q"; boundary="\x"; b=1"#, "multipart/mixed; a; boundary=x",
            // Letters whose lowercase form has a different length.
            "multipart/" + String(repeating: "\u{130}", count: 99) + "; boundary=x",
            "multipart/" + String(repeating: "\u{212A}", count: 99) + "; boundary=x",
        ]
    )
    func boundary(_ contentType: String) throws {
        #expect(try Self.responses(Self.part() + "--x--", contentType)[0]?.status == 200)
    }

    @Test(
        "Rejects a Content-Type without a usable boundary",
        .covers(150),
        arguments: [
            nil, "", "multipart/mixed", "multipart/mixed; boundary", "multipart/mixed; boundary=",
            "multipart/mixed; boundary=\"\"", "text/plain; boundary=x", "multipart/mixed; a=\"boundary=x\"",
            "multipart/mixed; boundary=" + String(repeating: "x", count: 71), "\u{130}; boundary=x",
        ]
    )
    func noBoundary(_ contentType: String?) {
        #expect(throws: ProtocolViolationError.self) { try Self.responses(Self.part() + "--x--", contentType) }
    }

    @Test(
        "Rejects a part without exactly one valid Content-ID",
        .covers(150),
        arguments: [
            "X: y", "Content-ID: <response-0>\r\nContent-ID: <response-1>", "Content-ID: <response--1>",
            "Content-ID: <response-+1>", "Content-ID: <response-00>", "Content-ID: <1response-2>",
            "Content-ID: <response-99999999999999999999>", "Content-ID: ",
        ]
    )
    func identifiers(_ fields: String) {
        #expect(throws: ProtocolViolationError.self) { try Self.responses(Self.part(fields) + "--x--") }
    }

    @Test(
        "Rejects a part that is not an HTTP response or has too many lines",
        .covers(150),
        arguments: [
            "nonsense", "HTTP/1.1 1000 OK", "HTTP/1.1 20 OK", "HTTP/1.1 200 OK\r\nContent-Length: 99",
            "HTTP/1.1 200 OK\r\nContent-Length: -1", "HTTP/1.1 200 OK" + String(repeating: "\r\na: b", count: 70_000),
        ]
    )
    func responses(_ head: String) {
        #expect(throws: ProtocolViolationError.self) {
            try Self.responses(Self.part("Content-ID: <response-0>", head) + "--x--")
        }
    }

    @Test("Rejects two responses to one call and more responses than calls", .covers(150))
    func tooMany() throws {
        let parts = (0..<4).map { Self.part("Content-ID: <response-\($0)>") }
        #expect(try Self.responses(parts[0] + parts[1] + parts[2] + "--x--").count == 3)
        #expect(throws: ProtocolViolationError.self) { try Self.responses(parts[0] + parts[0] + "--x--") }
        #expect(throws: ProtocolViolationError.self) { try Self.responses(parts.joined() + "--x--") }
        #expect(throws: ProtocolViolationError.self) { try Self.responses(String(repeating: "--x\n", count: 100_000)) }
    }

    @Test(
        "Treats a line that only begins like a delimiter as content",
        .covers(150),
        arguments: ["--xy", "--x y", "--x--y"]
    )
    func longerLine(_ line: String) throws {
        let body = "{\"a\":\r\n\(line)\r\n1}"
        let responses = try Self.responses(Self.part(body: body) + "--x-- ")
        #expect(responses[0].map { String(decoding: $0.body, as: UTF8.self) } == body)
    }

    @Test("Ignores a part that is not terminated by a delimiter or follows the last one")
    func truncated() throws {
        #expect(try Self.responses(Self.part()).isEmpty)
        #expect(try Self.responses("--x--\r\n" + Self.part() + "--x--").isEmpty)
    }
}
