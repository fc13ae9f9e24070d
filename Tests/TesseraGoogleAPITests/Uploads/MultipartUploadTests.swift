// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraOAuth
internal import Testing

@Suite("Multipart uploads")
struct MultipartUploadTests {
    private static let url = "https://api.example/upload/files?uploadType=multipart"

    @Test("Combines metadata and media in one message of known length")
    func message() async throws {
        let (request, body) = try MultipartUpload.make(
            try HTTPRequest(method: .post, url: Self.url),
            metadata: Array(#"{"name":"x"}"#.utf8),
            media: HTTPBody("hello"),
            contentType: "text/plain",
            boundary: "b-1"
        )
        #expect(request.headerFields[.contentType] == "multipart/related; boundary=b-1")
        let bytes = try await body.collect(upTo: 1000)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == """
                --b-1\r
                Content-Type: application/json; charset=UTF-8\r
                \r
                {"name":"x"}\r
                --b-1\r
                Content-Type: text/plain\r
                \r
                hello\r
                --b-1--\r

                """
        )
        #expect(body.length == Int64(bytes.count))
        #expect(body.isReplayable)
        #expect(try await body.collect(upTo: 1000) == bytes)
    }

    @Test("Creates a message of unknown length that cannot be replayed for a stream")
    func stream() async throws {
        let media = HTTPBody(length: nil, isReplayable: false) {
            var rest = ["he", "llo"][...]
            return { rest.popFirst().map { Array($0.utf8) } }
        }
        let (_, body) = try MultipartUpload.make(try HTTPRequest(url: Self.url), metadata: [], media: media)
        #expect(body.length == nil)
        #expect(!body.isReplayable)
        #expect(
            String(decoding: try await body.collect(upTo: 1000), as: UTF8.self).contains("\r\n\r\nhello\r\n--tessera-")
        )
    }

    @Test(
        "Rejects a content type or boundary that would break the message",
        arguments: [("text/plain\r\nX: y", "b"), ("text/plain", "b b"), ("a", "")]
    )
    func refused(type: String, boundary: String) throws {
        #expect(throws: InvalidRequestError.self) {
            try MultipartUpload.make(
                try HTTPRequest(url: Self.url),
                metadata: [],
                media: HTTPBody([]),
                contentType: type,
                boundary: boundary
            )
        }
    }
}
