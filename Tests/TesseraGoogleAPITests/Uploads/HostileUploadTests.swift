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

@Suite("Uploads to a hostile server or from a modified state")
struct HostileUploadTests {
    private static let count = 1_000_000
    private static let quarter = 256 << 10
    private static let begun = ScriptedResponse.status(.ok, headerFields: [.location: "/s/1"])
    private static let down = ScriptedResponse.status(.serviceUnavailable)

    private static func active(_ range: String?, _ location: String? = nil) -> ScriptedResponse {
        var fields: HTTPFields = [:]
        (fields[.range], fields[.location]) = (range, location)
        return .status(.init(code: 308), headerFields: fields)
    }

    /// Responds according to the number of the request.
    ///
    /// After 100 requests, all requests fail permanently.
    private static func network(
        _ script: @escaping @Sendable (Int, RecordedRequest) -> ScriptedResponse
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

    /// Uploads a million bytes in pieces and passes each state to `save`.
    private static func upload(
        _ network: ScriptedTransport,
        _ source: HTTPBody = HTTPBody([UInt8](repeating: 7, count: Self.count)),
        from state: UploadState? = nil,
        save: (@Sendable (UploadState) -> Void)? = nil
    ) async throws -> [UInt8] {
        var runtime = OAuthRuntime.testing(transport: network, clock: TestClock())
        runtime.clock = SelfAdvancingClock()
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
        return try await fetcher.upload(upload, from: state) { save?($0) }.1
    }

    @Test(
        "Rejects a server that claims bytes that were not sent or completes prematurely",
        .covers(151),
        arguments: [308, 200]
    )
    func claims(status: Int) async throws {
        let network = Self.network { number, request in
            if number == 1 { return Self.begun }
            if !request.body.isEmpty { return Self.down }
            return status == 200 ? .json("{}") : Self.active("bytes=0-\(Self.count - 2)")
        }
        await #expect(throws: UploadError(.invalidResponse)) { try await Self.upload(network) }
        #expect(network.requests.count < 20)
    }

    @Test(
        "Stops if the server loses received bytes repeatedly",
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
        "Never saves an invalid or unauthorized session URI, at the start or after a move",
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
        let saveCount = Mutex(0)
        await #expect(throws: (any Error).self) {
            try await Self.upload(network) { _ in saveCount.withLock { $0 += 1 } }
        }
        #expect(saveCount.withLock { $0 } == (moves ? 1 : 0))
        #expect(network.requests.count == (moves ? 2 : 1))
    }

    @Test("Distinguishes a state of a newer version from a damaged one")
    func newerState() {
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(UploadState.self, from: Data(#"{"format":2,"place":"/s/1"}"#.utf8))
        }
        #expect("\(String(describing: error))".contains("newer version"))
    }

    @Test("Starts over with a state that belongs to other bytes of the same length", .covers(151))
    func otherBytes() async throws {
        let network = Self.network { number, request in
            guard request.path == "/s/1" else { return Self.begun }
            return request.body.isEmpty || number < 4 ? Self.active("bytes=0-\(Self.quarter - 1)") : .status(.forbidden)
        }
        let saved = Mutex<UploadState?>(nil)
        await #expect(throws: GoogleAPIError.self) {
            try await Self.upload(network) { state in saved.withLock { $0 = state } }
        }
        let data = try JSONEncoder().encode(try #require(saved.withLock { $0 }))
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
        "Rejects a modified state without sending a request",
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
        "Accepts a piece granularity of at most 64 MiB",
        .covers(151),
        arguments: [(64 << 20, 64 << 20), (0, nil), (-1, nil), ((64 << 20) + 1, nil), (.max, nil)] as [(Int, Int?)]
    )
    func granularity(demanded: Int, accepted: Int?) {
        let session = UploadSession(uri: Secret("https://up.example/s"), granularity: demanded)
        #expect(session.granularity == accepted)
    }
}
