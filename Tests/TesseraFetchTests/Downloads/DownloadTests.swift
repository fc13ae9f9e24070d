// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraSupport
internal import Tessera
internal import TesseraFetch
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Downloads to a file")
struct DownloadTests {
    private static let url = "https://api.example/files/1?alt=media"
    private static let content = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    /// Runs `body` with a path in a temporary directory.
    private static func withTemporaryPath(_ body: (_ path: String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/download-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder + "/file")
    }

    private static func fetcher(_ network: ScriptedTransport, _ backoff: Backoff = Backoff()) throws
        -> AuthorizedFetcher
    {
        var runtime = OAuthRuntime.testing(transport: network, clock: TestClock())
        runtime.clock = SelfAdvancingClock()
        return AuthorizedFetcher(try ScriptedSource(), runtime: runtime, settings: FetchSettings(backoff: backoff))
    }

    private static func names(nextTo path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: (path as NSString).deletingLastPathComponent).sorted()
    }

    private static func bytes(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map(Array.init) }

    /// The `Range` header of each request.
    private static func ranges(_ network: ScriptedTransport) -> [String?] {
        network.requests.map { $0.head.headerFields[.range] }
    }

    @Test("Creates the file when the download is complete, and leaves no other file")
    func whole() async throws {
        try await Self.withTemporaryPath { path in
            let network = FileServer(Self.content).network()
            let progress = TransferProgress()
            let response = try await Self.fetcher(network)
                .download(try HTTPRequest(url: Self.url), to: path, progress: progress)
            #expect(response.status == .ok)
            #expect(Self.bytes(path) == Self.content)
            #expect(try Self.names(nextTo: path) == ["file"])
            #expect(progress.latest == TransferProgress.Step(completed: 10_000, total: 10_000))
            var last: TransferProgress.Step?
            for await step in progress { last = step }
            #expect(last == progress.latest)
        }
    }

    @Test("Resumes an interrupted download if the file on the server is unchanged")
    func brokenOff() async throws {
        try await Self.withTemporaryPath { path in
            let server = FileServer(
                Self.content,
                faults: [.cut(3000), .status(.serviceUnavailable), .cut(2500), .short(500)]
            )
            let network = server.network()
            try await Self.fetcher(network).download(try HTTPRequest(url: Self.url), to: path)
            #expect(Self.bytes(path) == Self.content)
            #expect(Self.ranges(network) == [nil, "bytes=3000-", "bytes=3000-", "bytes=5500-", "bytes=6000-"])
            #expect(network.requests.dropFirst().allSatisfy { $0.head.headerFields[.ifRange] == "\"one\"" })
        }
    }

    @Test("Resumes as long as data arrives, and keeps the partial download when attempts run out")
    func timeout() async throws {
        try await Self.withTemporaryPath { path in
            let moving = FileServer(Self.content, faults: Array(repeating: .cut(100), count: 50))
            let backoff = Backoff(attempts: 3)
            try await Self.fetcher(moving.network(), backoff).download(try HTTPRequest(url: Self.url), to: path)
            #expect(Self.bytes(path) == Self.content)

            let stuck = FileServer(Self.content, faults: [.cut(100)] + Array(repeating: .cut(0), count: 9))
            let network = stuck.network()
            await #expect(throws: TransportError.self) {
                try await Self.fetcher(network, backoff).download(try HTTPRequest(url: Self.url), to: path + "2")
            }
            #expect(network.requests.count == 3)
            #expect(try Self.names(nextTo: path) == ["file", "file2.part", "file2.part.json"])
            #expect(Self.bytes(path + "2.part") == Array(Self.content[..<100]))
        }
    }

    @Test(
        "Resumes the partial download of an earlier process unless resuming is disabled",
        arguments: [(true, "bytes=4000-"), (false, nil)]
    )
    func laterProgram(resumes: Bool, range: String?) async throws {
        try await Self.withTemporaryPath { path in
            let server = FileServer(Self.content, faults: [.cut(4000)])
            let network = server.network()
            await #expect(throws: TransportError.self) {
                try await Self.fetcher(network, .once).download(try HTTPRequest(url: Self.url), to: path)
            }
            try await Self.fetcher(network)
                .download(try HTTPRequest(url: Self.url), to: path, resumes: resumes)
            #expect(Self.bytes(path) == Self.content)
            #expect(Self.ranges(network) == [nil, range])
            #expect(try Self.names(nextTo: path) == ["file"])
        }
    }

    @Test("Restarts a download if the file changed on the server")
    func changed() async throws {
        try await Self.withTemporaryPath { path in
            let server = FileServer(Self.content, faults: [.cut(4000)])
            let network = server.network()
            let fetcher = try Self.fetcher(network, .once)
            await #expect(throws: TransportError.self) {
                try await fetcher.download(try HTTPRequest(url: Self.url), to: path)
            }
            let newer = [UInt8](repeating: 7, count: 9000)
            server.state.withLock { ($0.content, $0.fields) = (newer, [.eTag: "\"two\""]) }
            #expect(try await fetcher.download(try HTTPRequest(url: Self.url), to: path).status == .ok)
            #expect(Self.bytes(path) == newer)
        }
    }

    @Test(
        "Restarts a download if the server ignores the condition and sends part of a changed file",
        arguments: [10_000, 4000],
        [
            [[.eTag: "\"one\""], [.eTag: "\"two\""]],
            [
                [.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", .date: "Tue, 08 Nov 1994 08:49:37 GMT"],
                [.lastModified: "Mon, 07 Nov 1994 08:49:37 GMT", .date: "Tue, 08 Nov 1994 08:49:37 GMT"],
            ],
        ] as [[HTTPFields]]
    )
    func ignoredCondition(length: Int, fields: [HTTPFields]) async throws {
        try await Self.withTemporaryPath { path in
            let server = FileServer(Self.content, faults: [.cut(4000), .ignoredCondition], fields: fields[0])
            let fetcher = try Self.fetcher(server.network(), .once)
            await #expect(throws: TransportError.self) {
                try await fetcher.download(try HTTPRequest(url: Self.url), to: path)
            }
            let newer = [UInt8](repeating: 7, count: length)
            server.state.withLock { ($0.content, $0.fields) = (newer, fields[1]) }
            try await fetcher.download(try HTTPRequest(url: Self.url), to: path)
            #expect(Self.bytes(path) == newer)
        }
    }

    @Test(
        "Resumes only with a strong ETag or a Last-Modified date before that of the response",
        arguments: [
            (HTTPFields([HTTPField(name: .eTag, value: "W/\"one\"")]), nil),
            ([:], nil),
            ([.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"], nil),
            (
                [.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", .date: "Sun, 06 Nov 1994 08:49:37 GMT"], nil
            ),
            (
                [.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", .date: "Sun, 06 Nov 1994 08:49:38 GMT"],
                "Sun, 06 Nov 1994 08:49:37 GMT"
            ),
        ] as [(HTTPFields, String?)]
    )
    func validators(fields: HTTPFields, condition: String?) async throws {
        try await Self.withTemporaryPath { path in
            let network = FileServer(Self.content, faults: [.cut(4000)], fields: fields).network()
            try await Self.fetcher(network).download(try HTTPRequest(url: Self.url), to: path)
            #expect(Self.bytes(path) == Self.content)
            #expect(network.requests.map { $0.head.headerFields[.ifRange] } == [nil, condition])
            #expect(Self.ranges(network) == [nil, condition == nil ? nil : "bytes=4000-"])
        }
    }

    @Test(
        "Restarts a download if the response ignores the range or contains another one",
        arguments: [(FileServer.Fault.ignoredRange, 2), (.otherRange, 3)]
    )
    func otherResponses(fault: FileServer.Fault, count: Int) async throws {
        try await Self.withTemporaryPath { path in
            let network = FileServer(Self.content, faults: [.cut(4000), fault]).network()
            try await Self.fetcher(network).download(try HTTPRequest(url: Self.url), to: path)
            #expect(Self.bytes(path) == Self.content)
            #expect(network.requests.count == count)
        }
    }

    @Test("Completes a download if a 416 confirms that all bytes have arrived")
    func everythingThere() async throws {
        try await Self.withTemporaryPath { path in
            let server = FileServer(Self.content, faults: [.cut(10_000)])
            let network = server.network()
            try await Self.fetcher(network).download(try HTTPRequest(url: Self.url), to: path)
            #expect(Self.ranges(network) == [nil, "bytes=10000-"])
            #expect(Self.bytes(path) == Self.content)
        }
    }

    @Test("Does not resume the partial download of another URL")
    func otherURL() async throws {
        try await Self.withTemporaryPath { path in
            let network = FileServer(Self.content, faults: [.cut(4000)]).network()
            await #expect(throws: TransportError.self) {
                try await Self.fetcher(network, .once).download(try HTTPRequest(url: Self.url), to: path)
            }
            try await Self.fetcher(network).download(try HTTPRequest(url: Self.url + "&v=2"), to: path)
            #expect(Self.ranges(network) == [nil, nil])
            #expect(try #require(Self.bytes(path)) == Self.content)
        }
    }

    @Test("Does not resume a partial download that is too long or has damaged metadata", arguments: [true, false])
    func damaged(isLonger: Bool) async throws {
        try await Self.withTemporaryPath { path in
            let network = FileServer(Self.content, faults: [.cut(4000)]).network()
            await #expect(throws: TransportError.self) {
                try await Self.fetcher(network, .once).download(try HTTPRequest(url: Self.url), to: path)
            }
            if isLonger {
                try Data(count: 10_001).write(to: URL(filePath: path + ".part"))
            } else {
                try Data("{".utf8).write(to: URL(filePath: path + ".part.json"))
            }
            try await Self.fetcher(network).download(try HTTPRequest(url: Self.url), to: path)
            #expect(Self.ranges(network) == [nil, nil])
            #expect(Self.bytes(path) == Self.content)
        }
    }

    @Test("Keeps the existing file and leaves no partial download after an error response")
    func refusal() async throws {
        try await Self.withTemporaryPath { path in
            try Data("before".utf8).write(to: URL(filePath: path))
            let network = FileServer(Self.content, faults: [.status(.notFound)]).network()
            await #expect(throws: HTTPStatusError(status: 404, endpoint: "API")) {
                try await Self.fetcher(network).download(try HTTPRequest(url: Self.url), to: path)
            }
            #expect(Self.bytes(path) == Array("before".utf8))
            #expect(try Self.names(nextTo: path) == ["file"])
        }
    }

    @Test("Rejects a second download to the same path")
    func busy() async throws {
        try await Self.withTemporaryPath { path in
            let gate = Gate()
            let isFirst = Mutex(true)
            let network = ScriptedTransport { _ in
                // A second request gets its response immediately.
                let waits = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                if waits { await gate.pass() }
                return .json("{}")
            }
            let first = Task { try await Self.fetcher(network).download(try HTTPRequest(url: Self.url), to: path) }
            await gate.waitForArrival()
            await #expect(throws: FileError(.busy, path: path + ".part")) {
                try await Self.fetcher(network).download(try HTTPRequest(url: Self.url), to: path)
            }
            gate.open()
            _ = try await first.value
            #expect(Self.bytes(path) == Array("{}".utf8))
        }
    }

    @Test("Keeps the partial download when canceled")
    func cancelled() async throws {
        try await Self.withTemporaryPath { path in
            let (reached, reach) = AsyncStream<Void>.makeStream()
            let (never, end) = AsyncStream<Void>.makeStream()
            let network = ScriptedTransport { _ in
                let body = HTTPBody(length: 10_000, isReplayable: false) {
                    var isFirst = true
                    return {
                        if isFirst {
                            isFirst = false
                            return Array(Self.content[..<4000])
                        }
                        reach.finish()
                        for await _ in never {}
                        try Task.checkCancellation()
                        return nil
                    }
                }
                return ScriptedResponse(HTTPResponse(status: .ok, headerFields: [.eTag: "\"one\""]), body: body)
            }
            let download = Task { try await Self.fetcher(network).download(try HTTPRequest(url: Self.url), to: path) }
            for await _ in reached {}
            download.cancel()
            await #expect(throws: CancellationError.self) { try await download.value }
            end.finish()
            #expect(Self.bytes(path + ".part") == Array(Self.content[..<4000]))
            let server = FileServer(Self.content).network()
            try await Self.fetcher(server).download(try HTTPRequest(url: Self.url), to: path)
            #expect(Self.ranges(server) == ["bytes=4000-"])
            #expect(Self.bytes(path) == Self.content)
        }
    }

    @Test("Fails before the first request if the path is not writable")
    func noPlace() async throws {
        let network = FileServer(Self.content).network()
        let failure = await #expect(throws: FileError.self) {
            try await Self.fetcher(network).download(try HTTPRequest(url: Self.url), to: "/nowhere/file")
        }
        #expect(failure?.description == "/nowhere/file.part: No such file or directory (open)")
        #expect(network.requests.isEmpty)
    }

    @Test(
        "Does not overwrite a file unless allowed, even if it appears during the download",
        .covers(130)
    )
    func existing() async throws {
        try await Self.withTemporaryPath { path in
            let mine = Data("mine".utf8)
            try mine.write(to: URL(filePath: path))
            let request = try HTTPRequest(url: Self.url)
            let network = FileServer(Self.content).network()
            await #expect(throws: FileError(.exists, path: path)) {
                try await Self.fetcher(network).download(request, to: path, overwrites: false)
            }
            #expect(network.requests.isEmpty)
            #expect(try Self.names(nextTo: path) == ["file"])
            #expect(FileManager.default.contents(atPath: path) == mine)
            try FileManager.default.removeItem(atPath: path)
            let racing = FileServer(Self.content).network { try mine.write(to: URL(filePath: path)) }
            await #expect(throws: FileError(.exists, path: path)) {
                try await Self.fetcher(racing).download(request, to: path, overwrites: false)
            }
            #expect(FileManager.default.contents(atPath: path) == mine)
            // The partial download is complete, so no more data is downloaded.
            try await Self.fetcher(network).download(request, to: path)
            #expect(Self.bytes(path) == Self.content)
            #expect(Self.ranges(network) == ["bytes=10000-"])
        }
    }

    @Test(
        "Does not overwrite another file with the name of the partial download unless allowed",
        .covers(130),
        arguments: ["part", "part.json"]
    )
    func foreignPart(_ ending: String) async throws {
        try await Self.withTemporaryPath { path in
            let mine = Data("mine".utf8)
            try mine.write(to: URL(filePath: "\(path).\(ending)"))
            await #expect(throws: FileError(.exists, path: "\(path).\(ending)")) {
                try await Self.fetcher(FileServer(Self.content).network())
                    .download(try HTTPRequest(url: Self.url), to: path, overwrites: false)
            }
            #expect(FileManager.default.contents(atPath: "\(path).\(ending)") == mine)
            #expect(try Self.names(nextTo: path) == ["file.\(ending)"])
        }
    }

    @Test(
        "Rejects a partial download that belongs to another user",
        .covers(136),
        .shows(claims: 18),
        .enabled(if: geteuid() == 0, "only root can change the owner of a file")
    )
    func foreignOwner() async throws {
        try await Self.withTemporaryPath { path in
            let request = try HTTPRequest(url: Self.url)
            let part = path + ".part"
            try Data("theirs".utf8).write(to: URL(filePath: part))
            #expect(chown(part, 65_534, 65_534) == 0)
            await #expect(throws: FileError(.foreignOwner, path: part)) {
                try await Self.fetcher(FileServer(Self.content).network()).download(request, to: path)
            }
            #expect(FileManager.default.contents(atPath: part) == Data("theirs".utf8))
            #expect(try Self.names(nextTo: path) == ["file.part"])
        }
    }

    @Test(
        "Does not resume a partial download whose metadata belongs to another user",
        .covers(136),
        .enabled(if: geteuid() == 0, "only root can change the owner of a file")
    )
    func foreignDescription() async throws {
        try await Self.withTemporaryPath { path in
            let network = FileServer(Self.content, faults: [.cut(4000)]).network()
            await #expect(throws: TransportError.self) {
                try await Self.fetcher(network, .once).download(try HTTPRequest(url: Self.url), to: path)
            }
            #expect(chown(path + ".part.json", 65_534, 65_534) == 0)
            try await Self.fetcher(network).download(try HTTPRequest(url: Self.url), to: path)
            #expect(Self.ranges(network) == [nil, nil])
            #expect(Self.bytes(path) == Self.content)
        }
    }

    @Test(
        "Rejects a partial download that is a symbolic link, and leaves its target unchanged",
        arguments: [true, false]
    )
    func linkedPart(exists: Bool) async throws {
        try await Self.withTemporaryPath { path in
            let target = path + "-elsewhere"
            let mine = exists ? Data("mine".utf8) : nil
            try mine?.write(to: URL(filePath: target))
            try FileManager.default.createSymbolicLink(atPath: path + ".part", withDestinationPath: target)
            let error = await #expect(throws: FileError.self) {
                try await Self.fetcher(FileServer(Self.content).network())
                    .download(try HTTPRequest(url: Self.url), to: path)
            }
            #expect(error?.path == path + ".part")
            #expect(FileManager.default.contents(atPath: target) == mine)
        }
    }
}
