// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraSupport
internal import Tessera
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Resumable uploads to Google")
struct ResumableUploadTests {
    static let content = (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    static let quarter = 256 << 10

    private static func fetcher(_ network: ScriptedTransport, _ backoff: Backoff = Backoff()) throws
        -> AuthorizedFetcher
    {
        var runtime = OAuthRuntime.testing(transport: network, clock: TestClock())
        runtime.clock = SelfAdvancingClock()
        var settings = FetchSettings.google
        settings.backoff = backoff
        return AuthorizedFetcher(
            try FixedTokenSource(for: ResumableServer.origin),
            runtime: runtime,
            settings: settings
        )
    }

    private static func upload(
        _ source: HTTPBody = HTTPBody(Self.content),
        usesFields: Bool = false,
        pieceSize: Int? = nil
    ) throws -> Upload {
        Upload(
            try HTTPRequest(method: .post, url: ResumableServer.origin + "/upload/files?fields=id"),
            metadata: HTTPBody(#"{"name":"x"}"#),
            source: source,
            contentType: "text/plain",
            strategy: usesFields ? GoogleUploadProtocol() : GoogleResumableUpload(),
            pieceSize: pieceSize
        )
    }

    /// Returns the content as a stream that can be read once, in chunks of an odd length.
    private static func sequence(_ length: Int64? = nil) -> HTTPBody {
        let (chunks, more) = AsyncStream<[UInt8]>.makeStream()
        for start in stride(from: 0, to: Self.content.count, by: 77_777) {
            more.yield(Array(Self.content[start..<min(start + 77_777, Self.content.count)]))
        }
        more.finish()
        return HTTPBody(chunks, length: length)
    }

    private static func ranges(_ network: ScriptedTransport) -> [String?] {
        network.requests.dropFirst().map { $0.head.headerFields[.contentRange] }
    }

    @Test("Describes the content in the first request and sends the token only there")
    func beginning() async throws {
        let server = ResumableServer()
        let network = server.network
        let (response, body) = try await Self.fetcher(network).upload(try Self.upload())
        #expect(response.status == .ok)
        #expect(body == Array(#"{"size": 1500000}"#.utf8))
        #expect(server.state.withLock { $0.received } == Self.content)
        let first = try #require(network.requests.first)
        #expect(first.head.path == "/upload/files?fields=id&uploadType=resumable")
        #expect(first.head.headerFields[.authorization] == "Bearer ya29.token")
        #expect(first.head.headerFields[ResumableServer.name("X-Upload-Content-Type")] == "text/plain")
        #expect(first.head.headerFields[ResumableServer.name("X-Upload-Content-Length")] == "1500000")
        #expect(first.head.headerFields[.contentType] == "application/json; charset=UTF-8")
        #expect(first.text == #"{"name":"x"}"#)
        #expect(network.requests.count == 2)
        #expect(network.requests[1].head.headerFields[.authorization] == nil)
        #expect(Self.ranges(network) == ["bytes 0-1499999/1500000"])
    }

    @Test(
        "Sends pieces in multiples of 256 KiB except for the last",
        arguments: [1, 300_000, 524_288, 600_000]
    )
    func pieces(wish: Int) async throws {
        let server = ResumableServer()
        let network = server.network
        _ = try await Self.fetcher(network).upload(try Self.upload(pieceSize: wish))
        #expect(server.state.withLock { $0.received } == Self.content)
        let sizes = network.requests.dropFirst().map(\.body.count)
        #expect(sizes.dropLast().allSatisfy { $0 == max(Self.quarter, wish / Self.quarter * Self.quarter) })
        #expect(sizes.reduce(0, +) == Self.content.count)
    }

    @Test("Sends the total length as soon as it is known", arguments: [nil, 1_500_000] as [Int64?])
    func unknownLength(length: Int64?) async throws {
        let server = ResumableServer()
        let network = server.network
        _ = try await Self.fetcher(network).upload(try Self.upload(Self.sequence(length), pieceSize: 524_288))
        #expect(server.state.withLock { $0.received } == Self.content)
        let total = length == nil ? "*" : "1500000"
        #expect(
            Self.ranges(network)
                == ["bytes 0-524287/\(total)", "bytes 524288-1048575/\(total)", "bytes 1048576-1499999/1500000"]
        )
    }

    @Test(
        "Completes an upload of a stream that is empty or ends with a full piece",
        arguments: [0, 262_144, 524_288],
        [false, true]
    )
    func evenLengths(count: Int, usesFields: Bool) async throws {
        let server = ResumableServer(usesFields: usesFields)
        let (chunks, more) = AsyncStream<[UInt8]>.makeStream()
        more.yield(Array(Self.content[..<count]))
        more.finish()
        let upload = try Self.upload(HTTPBody(chunks), usesFields: usesFields, pieceSize: 262_144)
        let (response, _) = try await Self.fetcher(server.network).upload(upload)
        #expect(response.status == .ok)
        #expect(server.state.withLock { $0.isComplete })
        #expect(server.state.withLock { $0.received == Array(Self.content[..<count]) })
    }

    static let troubles: [[ResumableServer.Fault]] = [
        [.partial(300_000)], [.lostResponse], [.broken(700_000)], [.status(503)], [.status(429)], [.gone(404)],
        [.gone(410)],
        [.wrongRange], [.none, .lostResponse, .status(503)],
        [.broken(600_000), .status(503), .status(500), .broken(1000)],
        [.partial(0), .partial(600_000)], [.none, .none, .forgetful, .lostResponse],
    ]

    @Test(
        "Uploads every byte exactly once despite temporary failures, in both protocols",
        arguments: troubles,
        [false, true]
    )
    func faults(faults: [ResumableServer.Fault], usesFields: Bool) async throws {
        for pieceSize in [nil, 524_288] {
            let server = ResumableServer(faults, usesFields: usesFields)
            let upload = try Self.upload(usesFields: usesFields, pieceSize: pieceSize)
            let (_, body) = try await Self.fetcher(server.network).upload(upload)
            #expect(body == Array(#"{"size": 1500000}"#.utf8))
            #expect(server.state.withLock { $0.received == Self.content })
            #expect(server.state.withLock { $0.isComplete })
        }
    }

    @Test("Queries the server's offset after a failure and sends only the remaining bytes")
    func inquiry() async throws {
        let server = ResumableServer([.broken(700_000), .status(503)])
        let network = server.network
        _ = try await Self.fetcher(network).upload(try Self.upload())
        #expect(
            Self.ranges(network)
                == ["bytes 0-1499999/1500000", "bytes */1500000", "bytes */1500000", "bytes 700000-1499999/1500000"]
        )
    }

    @Test("Switches to a new session URI and saves it")
    func moved() async throws {
        let server = ResumableServer([.moved])
        let network = server.network
        let saved = Mutex<[UploadState]>([])
        let upload = try Self.upload(pieceSize: 524_288)
        _ = try await Self.fetcher(network).upload(upload) { state in saved.withLock { $0.append(state) } }
        #expect(network.requests.map(\.path) == ["/upload/files", "/session/1", "/session/2", "/session/2"])
        #expect(saved.withLock { $0.map(\.sessionURI.description) }.count == 2)
    }

    @Test("Gives up if the server keeps losing the session, accepting nothing or failing")
    func endless() async throws {
        let forgetful = ResumableServer(Array(repeating: .gone(404), count: 99))
        await #expect(throws: UploadError(.sessionExpired)) {
            try await Self.fetcher(forgetful.network).upload(try Self.upload())
        }
        #expect(forgetful.state.withLock { $0.beginnings } == 5)
        let full = ResumableServer(Array(repeating: .partial(0), count: 99))
        await #expect(throws: UploadError(.invalidResponse)) {
            try await Self.fetcher(full.network).upload(try Self.upload())
        }
        let down = ResumableServer(Array(repeating: .status(503), count: 99))
        let network = down.network
        await #expect(throws: GoogleAPIError.self) { try await Self.fetcher(network).upload(try Self.upload()) }
        #expect(network.requests.count == 1 + Backoff().attempts)
    }

    @Test("Resets the retry limit when the server receives more bytes")
    func timeout() async throws {
        let faults = (0..<20).flatMap { _ in [ResumableServer.Fault.broken(60_000), .none] }
        let server = ResumableServer(faults)
        _ = try await Self.fetcher(server.network, Backoff(attempts: 3)).upload(try Self.upload())
        #expect(server.state.withLock { $0.received } == Self.content)
    }

    @Test("Throws the API's error if the server rejects an upload")
    func refusal() async throws {
        let server = ResumableServer([.status(403)])
        let error = await #expect(throws: GoogleAPIError.self) {
            try await Self.fetcher(server.network).upload(try Self.upload())
        }
        #expect(error?.httpStatus == 403)
    }

    @Test(
        "Resumes an upload in another process from a saved state",
        arguments: [false, true]
    )
    func laterProgram(usesFields: Bool) async throws {
        let server = ResumableServer([.broken(700_000)], usesFields: usesFields)
        let saved = Mutex<Data?>(nil)
        let upload = try Self.upload(usesFields: usesFields)
        await #expect(throws: TransportError.self) {
            try await Self.fetcher(server.network, .once)
                .upload(upload) { state in
                    let data = try JSONEncoder().encode(state)
                    saved.withLock { $0 = data }
                }
        }
        let state = try JSONDecoder().decode(UploadState.self, from: try #require(saved.withLock { $0 }))
        let network = server.network
        let progress = TransferProgress()
        _ = try await Self.fetcher(network).upload(upload, from: state, progress: progress)
        #expect(server.state.withLock { $0.received == Self.content })
        #expect(server.state.withLock { $0.beginnings == 1 })
        #expect(network.requests.map(\.body.count) == [0, 800_000])
        #expect(progress.latest == TransferProgress.Step(completed: 1_500_000, total: 1_500_000))
    }

    @Test("Starts over after an expired session and returns the response of a completed one")
    func laterProgramTooLate() async throws {
        let server = ResumableServer([.lostResponse])
        let saved = Mutex<UploadState?>(nil)
        await #expect(throws: TransportError.self) {
            try await Self.fetcher(server.network, .once)
                .upload(try Self.upload()) { state in
                    saved.withLock { $0 = state }
                }
        }
        let state = saved.withLock { $0 }
        let network = server.network
        let progress = TransferProgress()
        let (_, body) = try await Self.fetcher(network).upload(try Self.upload(), from: state, progress: progress)
        #expect(body == Array(#"{"size": 1500000}"#.utf8))
        #expect(network.requests.count == 1)
        #expect(progress.latest == TransferProgress.Step(completed: 1_500_000, total: 1_500_000))
        server.state.withLock { $0.session += 1 }
        _ = try await Self.fetcher(network).upload(try Self.upload(), from: state)
        #expect(server.state.withLock { $0.beginnings } == 2)
    }

    @Test("Does not mistake the end of a canceled sequence for the end of the source", arguments: [1_500_000, nil])
    func canceledSequence(_ length: Int64?) async throws {
        let network = ResumableServer([]).network
        let (chunks, more) = AsyncStream<[UInt8]>.makeStream()
        more.yield(Array(Self.content.prefix(Self.quarter)))
        let upload = try Self.upload(HTTPBody(chunks, length: length), pieceSize: Self.quarter)
        let fetcher = try Self.fetcher(network)
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        let task = Task { try await fetcher.upload(upload) { _ in beginning.yield() } }
        for await _ in begun { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        more.finish()
        #expect(network.requests.count == 1)
    }

    @Test("Reads a file from the server's offset and does not mix versions of a changed file")
    func files() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/upload-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(Self.content).write(to: URL(filePath: path))
        let server = ResumableServer([.broken(700_000), .none, .partial(300_000)])
        let saved = Mutex<UploadState?>(nil)
        _ = try await Self.fetcher(server.network)
            .upload(try await Self.upload(HTTPBody(file: path))) { state in
                saved.withLock { $0 = state }
            }
        #expect(server.state.withLock { $0.received } == Self.content)

        // The file changed between two processes, so the state no longer belongs to it.
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
        let before = server.state.withLock { $0.beginnings }
        let later = try await Self.upload(HTTPBody(file: path))
        _ = try await Self.fetcher(server.network).upload(later, from: saved.withLock { $0 })
        #expect(server.state.withLock { $0.beginnings } == before + 1)

        // The file changes during the upload, so the second piece would be from another version.
        let changing = ScriptedTransport { request in
            if request.path.hasPrefix("/session/") { try Data(count: 1_500_000).write(to: URL(filePath: path)) }
            return request.path.hasPrefix("/session/")
                ? .status(.init(code: 308), headerFields: [.range: "bytes=0-524287"])
                : .status(.ok, headerFields: [.location: "/session/1"])
        }
        await #expect(throws: FileError(.changed, path: path)) {
            try await Self.fetcher(changing).upload(try await Self.upload(HTTPBody(file: path), pieceSize: 1 << 20))
        }
    }

    @Test("Consults the retry policy once for each failure of an upload")
    func askedOnce() async throws {
        let server = ResumableServer([.status(503), .none, .broken(700_000)])
        let count = Mutex(0)
        var settings = FetchSettings(retryPolicy: CountedPolicy { count.withLock { $0 += 1 } })
        settings.backoff = Backoff(attempts: 5)
        var runtime = OAuthRuntime.testing(transport: server.network, clock: TestClock())
        runtime.clock = SelfAdvancingClock()
        let source = try FixedTokenSource(for: ResumableServer.origin)
        let fetcher = AuthorizedFetcher(source, runtime: runtime, settings: settings)
        _ = try await fetcher.upload(try Self.upload(pieceSize: 524_288))
        #expect(server.state.withLock { $0.received } == Self.content)
        #expect(count.withLock { $0 } == 2)
    }

    @Test("Continues an upload whose connection is lost after hours, and ends one without progress after 2 minutes")
    func longPiece() async throws {
        let clock = TestClock()
        let server = ResumableServer([.broken(700_000), .none, .broken(0)])
        func fetcher(_ network: ScriptedTransport) throws -> AuthorizedFetcher {
            var runtime = OAuthRuntime.testing(transport: network, clock: clock)
            runtime.clock = SelfAdvancingClock(moving: clock)
            return AuthorizedFetcher(
                try FixedTokenSource(for: ResumableServer.origin),
                runtime: runtime,
                settings: .google
            )
        }
        let slow = ScriptedTransport { request in
            if !request.body.isEmpty { clock.advance(by: .seconds(7_200)) }
            return try server.response(request)
        }
        _ = try await fetcher(slow).upload(try Self.upload())
        #expect(server.state.withLock { $0.received } == Self.content)

        let stuck = ScriptedTransport { request in
            if request.path.hasPrefix("/session/") {
                clock.advance(by: .seconds(100))
                throw TransportError(.connectionLost)
            }
            return try server.response(request)
        }
        await #expect(throws: TransportError.self) { try await fetcher(stuck).upload(try Self.upload()) }
        #expect(stuck.requests.count == 4)
    }

    @Test("Does not send metadata again that can be read only once")
    func metadataOnce() async throws {
        let server = ResumableServer([.gone(404)])
        let network = server.network
        let (metadata, more) = AsyncStream<[UInt8]>.makeStream()
        more.yield(Array(#"{"name":"x"}"#.utf8))
        more.finish()
        let upload = Upload(
            try HTTPRequest(method: .post, url: ResumableServer.origin + "/upload/files"),
            metadata: HTTPBody(metadata, length: nil),
            source: HTTPBody(Self.content),
            contentType: "text/plain",
            strategy: GoogleResumableUpload()
        )
        await #expect(throws: UploadError(.cannotRewind)) { try await Self.fetcher(network).upload(upload) }
        #expect(server.state.withLock { $0.beginnings } == 1)
    }

    @Test("Throws an error if a stream cannot be rewound or has the wrong length")
    func rewinding() async throws {
        let server = ResumableServer([.none, .gone(404)])
        await #expect(throws: UploadError(.cannotRewind)) {
            try await Self.fetcher(server.network).upload(try Self.upload(Self.sequence(), pieceSize: 524_288))
        }
        await #expect(throws: UploadError(.length)) {
            try await Self.fetcher(ResumableServer().network).upload(try Self.upload(Self.sequence(1_400_000)))
        }
    }

    @Test(
        "Sends nothing to a session on another origin and does not show its URI",
        arguments: ["https://evil.example/s?upload_id=canary", "not a URL canary"]
    )
    func elsewhere(uri: String) async throws {
        let network = ScriptedTransport { _ in .status(.ok, headerFields: [.location: uri]) }
        do {
            _ = try await Self.fetcher(network).upload(try Self.upload())
            Issue.record("The upload was sent.")
        } catch {
            #expect(error is UnauthorizedOriginError || error as? UploadError == UploadError(.noSession))
            #expect(!"\(error) \(String(reflecting: error))".contains("canary"))
        }
        #expect(network.requests.count == 1)
    }

    @Test("Omits the session URI from descriptions of a state")
    func secret() async throws {
        let saved = Mutex<UploadState?>(nil)
        _ = try await Self.fetcher(ResumableServer().network)
            .upload(try Self.upload()) { state in
                saved.withLock { $0 = state }
            }
        let state = try #require(saved.withLock { $0 })
        var dumped = ""
        dump(state, to: &dumped)
        #expect(!"\(state) \(String(reflecting: state)) \(dumped)".contains("/session/"))
    }

    @Test("Cancels an upload on the server", arguments: [false, true])
    func cancelling(usesFields: Bool) async throws {
        let network = ScriptedTransport { request in
            if request.path.hasPrefix("/upload/") {
                return .status(
                    .ok,
                    headerFields: [
                        .location: "/session/1", ResumableServer.name("X-Goog-Upload-Status"): "active",
                        ResumableServer.name("X-Goog-Upload-URL"): "/session/1",
                    ]
                )
            }
            let isEnd = request.head.method == .delete || request.head.headerFields.contains { $0.value == "cancel" }
            if isEnd { return .status(.init(code: 499)) }
            throw TransportError(.connectionLost)
        }
        let saved = Mutex<UploadState?>(nil)
        let fetcher = try Self.fetcher(network, .once)
        let upload = try Self.upload(usesFields: usesFields)
        await #expect(throws: TransportError.self) {
            _ = try await fetcher.upload(upload) { state in saved.withLock { $0 = state } }
        }
        try await fetcher.cancel(try #require(saved.withLock { $0 }), strategy: upload.strategy)
        let last = try #require(network.requests.last)
        #expect(last.url == ResumableServer.origin + "/session/1")
        #expect(last.head.method == (usesFields ? .post : .delete))
    }
}

/// Google's retry policy, which calls a function for each decision.
private struct CountedPolicy: RetryPolicy {
    let note: @Sendable () -> Void

    func decision(for failure: CallFailure) -> RetryDecision {
        self.note()
        return GoogleRetryPolicy().decision(for: failure)
    }
}
