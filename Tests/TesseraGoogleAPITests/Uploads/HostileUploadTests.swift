// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Uploads to a server that contradicts itself, and with a state that was changed")
struct HostileUploadTests {
    private static let count = 1_000_000
    private static let quarter = 256 << 10
    private static let begun = ScriptedAnswer.status(.ok, headerFields: [.location: "/s/1"])
    private static let down = ScriptedAnswer.status(.serviceUnavailable)

    private static func active(_ range: String?, _ location: String? = nil) -> ScriptedAnswer {
        var fields: HTTPFields = [:]
        (fields[.range], fields[.location]) = (range, location)
        return .status(.init(code: 308), headerFields: fields)
    }

    /// Answers by the number of the request; after 100 requests every one fails for good.
    private static func network(
        _ script: @escaping @Sendable (Int, RecordedRequest) -> ScriptedAnswer
    ) -> ScriptedTransport {
        let number = Mutex(0)
        return ScriptedTransport { request in
            let number = number.withLock { number in
                number += 1
                return number
            }
            return number > 100 ? .status(.forbidden) : script(number, request)
        }
    }

    /// Uploads a million bytes in pieces; `kept` is given each state.
    private static func upload(
        _ network: ScriptedTransport,
        _ source: HTTPBody = HTTPBody([UInt8](repeating: 7, count: Self.count)),
        from state: UploadState? = nil,
        kept: (@Sendable (UploadState) -> Void)? = nil
    ) async throws -> [UInt8] {
        var runtime = OAuthRuntime.testing(transport: network, clock: TestClock())
        runtime.clock = ImpatientClock()
        let fetcher = AuthorizedFetcher(
            try FixedTokenSource(for: ResumableServer.origin),
            runtime: runtime,
            settings: .google
        )
        let upload = Upload(
            try HTTPRequest(method: .post, url: ResumableServer.origin + "/upload"),
            source: source,
            strategy: GoogleResumableUpload(),
            pieceSize: Self.quarter
        )
        return try await fetcher.upload(upload, from: state) { kept?($0) }.1
    }

    @Test(
        "Rejects a server that has more than was sent, or everything before it was sent",
        .covers(151),
        arguments: [308, 200]
    )
    func claims(status: Int) async throws {
        let network = Self.network { number, request in
            if number == 1 { return Self.begun }
            if !request.body.isEmpty { return Self.down }
            return status == 200 ? .json("{}") : Self.active("bytes=0-\(Self.count - 2)")
        }
        await #expect(throws: UploadError(.nonsense)) { try await Self.upload(network) }
        #expect(network.requests.count < 20)
    }

    @Test(
        "A server that loses what it had again and again makes no progress",
        .covers(151),
        arguments: [nil, "bytes=0-9"]
    )
    func oscillation(lost: String?) async throws {
        let network = Self.network { number, request in
            if number == 1 { return Self.begun }
            if request.body.isEmpty { return Self.active(lost) }
            return number % 3 == 2 ? Self.active("bytes=0-\(Self.quarter - 1)") : Self.down
        }
        let error = await #expect(throws: GoogleAPIError.self) { try await Self.upload(network) }
        #expect(error?.httpStatus == 503)
        #expect(network.requests.count < 50)
    }

    @Test(
        "A session that must not be called is never stored, at the beginning or when it moves",
        .covers(151),
        arguments: [
            "https://evil.example/s", "http://up.example/s", "https://up.example@evil.example/s", "//evil.example/s",
            "s/1", "https://up.example:444/s", "https://up.example.evil.example/s",
            "https://up.example/?access_token=x",
        ],
        [true, false]
    )
    func elsewhere(address: String, moves: Bool) async throws {
        let network = Self.network { number, _ in
            if !moves { return .status(.ok, headerFields: [.location: address]) }
            return number == 1 ? Self.begun : Self.active("bytes=0-\(Self.quarter - 1)", address)
        }
        let kept = Mutex(0)
        await #expect(throws: (any Error).self) {
            try await Self.upload(network) { _ in kept.withLock { $0 += 1 } }
        }
        #expect(kept.withLock { $0 } == (moves ? 1 : 0))
        #expect(network.requests.count == (moves ? 2 : 1))
    }

    @Test("A state that a newer version wrote is told from a damaged one")
    func newerState() {
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(UploadState.self, from: Data(#"{"format":2,"place":"/s/1"}"#.utf8))
        }
        #expect("\(String(describing: error))".contains("newer version"))
    }

    @Test("A state of other bytes of the same length begins again", .covers(151))
    func otherBytes() async throws {
        let network = Self.network { number, request in
            guard request.path == "/s/1" else { return Self.begun }
            return request.body.isEmpty || number < 4 ? Self.active("bytes=0-\(Self.quarter - 1)") : .status(.forbidden)
        }
        let kept = Mutex<UploadState?>(nil)
        await #expect(throws: GoogleAPIError.self) {
            try await Self.upload(network) { state in kept.withLock { $0 = state } }
        }
        let data = try JSONEncoder().encode(try #require(kept.withLock { $0 }))
        let state = try JSONDecoder().decode(UploadState.self, from: data)
        for (byte, first) in [(7, "/s/1"), (8, "/upload")] {
            let later = Self.network { _, request in
                request.path == "/s/1" ? .status(.forbidden) : Self.begun
            }
            await #expect(throws: GoogleAPIError.self) {
                try await Self.upload(later, HTTPBody([UInt8](repeating: UInt8(byte), count: Self.count)), from: state)
            }
            #expect(later.requests.first?.path == first)
        }
    }

    @Test(
        "A state that was changed is an error, or sends nothing elsewhere",
        .covers(151),
        arguments: [
            "{}", "[]", #"{"format":2,"sessionURI":"https://up.example/s","length":1000000}"#,
            #"{"format":1,"sessionURI":"https://evil.example/s","length":1000000}"#,
            #"{"format":1,"sessionURI":"\u001b]0;x","length":1000000}"#,
            #"{"format":1,"sessionURI":"https://up.example/s","granularity":9223372036854775807,"length":1000000}"#,
            #"{"format":1,"sessionURI":"https://up.example/s","granularity":-1,"length":1000000}"#,
            #"{"format":1,"sessionURI":"https://up.example/s","granularity":67108865,"length":1000000}"#,
        ]
    )
    func changedState(_ text: String) async throws {
        let network = Self.network { _, _ in .status(.forbidden) }
        let (chunks, more) = AsyncStream<[UInt8]>.makeStream()
        more.finish()
        await #expect(throws: (any Error).self) {
            let state = try JSONDecoder().decode(UploadState.self, from: Data(text.utf8))
            _ = try await Self.upload(network, HTTPBody(chunks, length: 1_000_000), from: state)
        }
        #expect(network.requests.isEmpty)
    }

    @Test(
        "A server must not demand pieces of any size: they are in memory",
        .covers(151),
        arguments: [(64 << 20, 64 << 20), (0, nil), (-1, nil), ((64 << 20) + 1, nil), (.max, nil)] as [(Int, Int?)]
    )
    func granularity(demanded: Int, accepted: Int?) {
        let session = UploadSession(uri: Secret("https://up.example/s"), granularity: demanded)
        #expect(session.granularity == accepted)
    }
}
