// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Media downloads")
struct MediaTests {
    private static func media(
        _ response: ScriptedResponse,
        range: ClosedRange<Int64>? = 2...4
    ) async throws -> [UInt8] {
        let client = try NotesV1.scripted(ScriptedTransport { _ in response })
        return try await client.get("a").media(range: range).collect(upTo: 1 << 10)
    }

    @Test("Requests a range of a file and accepts the matching response")
    func range() async throws {
        let network = ScriptedTransport { _ in
            .status(.partialContent, headerFields: [.contentRange: "bytes 2-4/9"])
        }
        _ = try await NotesV1.scripted(network).get("a").media(range: 2...4)
        #expect(network.requests.first?.head.headerFields[.range] == "bytes=2-4")
        #expect(network.requests.first?.head.path?.hasSuffix("?alt=media&prettyPrint=false") == true)
    }

    @Test(
        "Rejects the whole file, another range, and a range without Content-Range",
        arguments: [
            .json("whole"),
            .status(.partialContent, headerFields: [.contentRange: "bytes 0-4/9"]),
            .status(.partialContent, headerFields: [.contentRange: "bytes 2-5/9"]),
            .status(.partialContent, headerFields: [.contentRange: "bytes 2-3/9"]),
            .status(.partialContent, headerFields: [.contentRange: "bytes 2-3/*"]),
            .status(.partialContent),
        ] as [ScriptedResponse]
    )
    func otherBytes(response: ScriptedResponse) async throws {
        let error = try await #require(throws: ProtocolViolationError.self) { try await Self.media(response) }
        #expect(error.rule == .apiResponse)
    }

    @Test("Accepts fewer bytes only at the end of the file")
    func shortFile() async throws {
        let response = ScriptedResponse.status(.partialContent, headerFields: [.contentRange: "bytes 2-3/4"])
        #expect(try await Self.media(response).isEmpty)
    }

    @Test("Accepts the whole file if no range was requested")
    func whole() async throws {
        #expect(try await Self.media(.json("whole"), range: nil) == Array("whole".utf8))
    }

    @Test("Requests the contents of a file whose identifier is long")
    func longIdentifier() async throws {
        let network = ScriptedTransport { _ in .json("whole") }
        let client = try NotesV1.scripted(network)
        let contents = try await client.get(String(repeating: "ä", count: 400)).media().collect(upTo: 1 << 10)
        #expect(contents == Array("whole".utf8))
        let request = try #require(network.requests.first)
        #expect(request.head.method == .get)
        #expect(request.head.path?.hasSuffix("?alt=media&prettyPrint=false") == true)
    }

    @Test("Redacts a token that an error response to a download repeats")
    func secrets() async throws {
        let echo = #"{"error":{"code":404,"message":"Bearer ya29.token finds nothing"}}"#
        let error = try await #require(throws: GoogleAPIError.self) {
            try await Self.media(.json(echo, status: .notFound))
        }
        #expect(error.httpStatus == 404)
        #expect(error.message?.hasSuffix(" finds nothing") == true)
        #expect(!String(reflecting: error).contains("ya29.token"))
    }
}
