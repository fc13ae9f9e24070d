// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("A file's contents")
struct MediaTests {
    private static func media(
        _ answer: ScriptedAnswer,
        range: ClosedRange<Int64>? = 2...4
    ) async throws -> [UInt8] {
        let client = try NotesV1.scripted(ScriptedTransport { _ in answer })
        return try await client.get("a").media(range: range).collect(upTo: 1 << 10)
    }

    @Test("A part of a file is asked for, and is the part that was asked for")
    func range() async throws {
        let network = ScriptedTransport { _ in
            .status(.partialContent, headerFields: [.contentRange: "bytes 2-4/9"])
        }
        _ = try await NotesV1.scripted(network).get("a").media(range: 2...4)
        #expect(network.requests.first?.head.headerFields[.range] == "bytes=2-4")
        #expect(network.requests.first?.head.path?.hasSuffix("?alt=media&prettyPrint=false") == true)
    }

    @Test(
        "Other bytes than those that were asked for are refused: the whole, another part, a part that is not named",
        arguments: [
            .json("whole"),
            .status(.partialContent, headerFields: [.contentRange: "bytes 0-4/9"]),
            .status(.partialContent, headerFields: [.contentRange: "bytes 2-5/9"]),
            .status(.partialContent),
        ] as [ScriptedAnswer]
    )
    func otherBytes(answer: ScriptedAnswer) async throws {
        let error = try await #require(throws: ProtocolViolationError.self) { try await Self.media(answer) }
        #expect(error.rule == .apiAnswer)
    }

    @Test("The whole is not refused where no part was requested")
    func whole() async throws {
        #expect(try await Self.media(.json("whole"), range: nil) == Array("whole".utf8))
    }

    @Test("A refusal that repeats the token shows none of it")
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
