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

    /// A folder of the test's own.
    private static func play(_ body: (_ path: String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/download-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder + "/file")
    }

    private static func fetcher(_ network: ScriptedTransport, _ backoff: Backoff = Backoff()) throws
        -> AuthorizedFetcher
    {
        var runtime = OAuthRuntime.testing(transport: network, clock: TestClock())
        runtime.clock = ImpatientClock()
        return AuthorizedFetcher(try ScriptedSource(), runtime: runtime, settings: FetchSettings(backoff: backoff))
    }

    private static func names(beside path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: (path as NSString).deletingLastPathComponent).sorted()
    }

    private static func bytes(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map(Array.init) }

    /// The `Range` of each request that was sent.
    private static func ranges(_ network: ScriptedTransport) -> [String?] {
        network.requests.map { $0.head.headerFields[.range] }
    }

    @Test("The file is there when it is whole, and nothing else is left")
    func whole() async throws {
        try await Self.play { path in
            let network = FileServer(Self.content).network()
            let progress = TransferProgress()
            let response = try await Self.fetcher(network)
                .download(try HTTPRequest(url: Self.url), to: path, progress: progress)
            #expect(response.status == .ok)
            #expect(Self.bytes(path) == Self.content)
            #expect(try Self.names(beside: path) == ["file"])
            #expect(progress.latest == TransferProgress.Step(completed: 10_000, total: 10_000))
            var last: TransferProgress.Step?
            for await step in progress { last = step }
            #expect(last == progress.latest)
        }
    }

    @Test("What breaks off goes on where it stopped, if the server still has the same")
    func brokenOff() async throws {
        try await Self.play { path in
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

    @Test("As long as bytes come, any number of interruptions is borne; without one the patience ends, and they stay")
    func patience() async throws {
        try await Self.play { path in
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
            #expect(try Self.names(beside: path) == ["file", "file2.part", "file2.part.json"])
            #expect(Self.bytes(path + "2.part") == Array(Self.content[..<100]))
        }
    }

    @Test(
        "A later program goes on with what an earlier one left, unless it is told to begin anew",
        arguments: [(true, "bytes=4000-"), (false, nil)]
    )
    func laterProgram(resumes: Bool, range: String?) async throws {
        try await Self.play { path in
            let server = FileServer(Self.content, faults: [.cut(4000)])
            let network = server.network()
            await #expect(throws: TransportError.self) {
                try await Self.fetcher(network, .once).download(try HTTPRequest(url: Self.url), to: path)
            }
            try await Self.fetcher(network)
                .download(try HTTPRequest(url: Self.url), to: path, resumes: resumes)
            #expect(Self.bytes(path) == Self.content)
            #expect(Self.ranges(network) == [nil, range])
            #expect(try Self.names(beside: path) == ["file"])
        }
    }

    @Test("A file that changed at the server comes anew, and never becomes a mixture")
    func changed() async throws {
        try await Self.play { path in
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
        "A server that sends the part though the file changed is caught by what it says of the file",
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
        try await Self.play { path in
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
        "What a part belongs to has to be sure: a strong tag, or a date that is older than the answer",
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
        try await Self.play { path in
            let network = FileServer(Self.content, faults: [.cut(4000)], fields: fields).network()
            try await Self.fetcher(network).download(try HTTPRequest(url: Self.url), to: path)
            #expect(Self.bytes(path) == Self.content)
            #expect(network.requests.map { $0.head.headerFields[.ifRange] } == [nil, condition])
            #expect(Self.ranges(network) == [nil, condition == nil ? nil : "bytes=4000-"])
        }
    }

    @Test(
        "An answer that ignores the range, or has another one, begins the file anew",
        arguments: [(FileServer.Fault.ignoredRange, 2), (.otherRange, 3)]
    )
    func otherAnswers(fault: FileServer.Fault, count: Int) async throws {
        try await Self.play { path in
            let network = FileServer(Self.content, faults: [.cut(4000), fault]).network()
            try await Self.fetcher(network).download(try HTTPRequest(url: Self.url), to: path)
            #expect(Self.bytes(path) == Self.content)
            #expect(network.requests.count == count)
        }
    }

    @Test("Where everything had come already, a 416 with that length says so")
    func everythingThere() async throws {
        try await Self.play { path in
            let server = FileServer(Self.content, faults: [.cut(10_000)])
            let network = server.network()
            try await Self.fetcher(network).download(try HTTPRequest(url: Self.url), to: path)
            #expect(Self.ranges(network) == [nil, "bytes=10000-"])
            #expect(Self.bytes(path) == Self.content)
        }
    }

    @Test("A part of another URL is not continued")
    func otherURL() async throws {
        try await Self.play { path in
            let network = FileServer(Self.content, faults: [.cut(4000)]).network()
            await #expect(throws: TransportError.self) {
                try await Self.fetcher(network, .once).download(try HTTPRequest(url: Self.url), to: path)
            }
            try await Self.fetcher(network).download(try HTTPRequest(url: Self.url + "&v=2"), to: path)
            #expect(Self.ranges(network) == [nil, nil])
            #expect(try #require(Self.bytes(path)) == Self.content)
        }
    }

    @Test("A part whose description is damaged, or longer than the whole, is not continued", arguments: [true, false])
    func damaged(isLonger: Bool) async throws {
        try await Self.play { path in
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

    @Test("A refusal leaves the file that was there, and nothing beside it")
    func refusal() async throws {
        try await Self.play { path in
            try Data("before".utf8).write(to: URL(filePath: path))
            let network = FileServer(Self.content, faults: [.status(.notFound)]).network()
            await #expect(throws: HTTPStatusError(status: 404, endpoint: "API")) {
                try await Self.fetcher(network).download(try HTTPRequest(url: Self.url), to: path)
            }
            #expect(Self.bytes(path) == Array("before".utf8))
            #expect(try Self.names(beside: path) == ["file"])
        }
    }

    @Test("Two downloads to one path do not mix: the second is refused")
    func busy() async throws {
        try await Self.play { path in
            let gate = Gate()
            let isFirst = Mutex(true)
            let network = ScriptedTransport { _ in
                // A second one that is not refused gets its answer at once.
                let waits = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                if waits { await gate.pass() }
                return .json("{}")
            }
            let first = Task { try await Self.fetcher(network).download(try HTTPRequest(url: Self.url), to: path) }
            await gate.arrival()
            await #expect(throws: FileError(.busy, path: path + ".part")) {
                try await Self.fetcher(network).download(try HTTPRequest(url: Self.url), to: path)
            }
            gate.open()
            _ = try await first.value
            #expect(Self.bytes(path) == Array("{}".utf8))
        }
    }

    @Test("A cancelled download keeps what has come")
    func cancelled() async throws {
        try await Self.play { path in
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
                return ScriptedAnswer(HTTPResponse(status: .ok, headerFields: [.eTag: "\"one\""]), body: body)
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

    @Test("A place that cannot be written is told before anything is asked")
    func noPlace() async throws {
        let network = FileServer(Self.content).network()
        let failure = await #expect(throws: FileError.self) {
            try await Self.fetcher(network).download(try HTTPRequest(url: Self.url), to: "/nowhere/file")
        }
        #expect(failure?.description == "/nowhere/file.part: No such file or directory (open)")
        #expect(network.requests.isEmpty)
    }

    @Test(
        "Without overwriting, a file that has the name stays, also where it appears during the download",
        .covers(130)
    )
    func existing() async throws {
        try await Self.play { path in
            let mine = Data("mine".utf8)
            try mine.write(to: URL(filePath: path))
            let request = try HTTPRequest(url: Self.url)
            let network = FileServer(Self.content).network()
            await #expect(throws: FileError(.exists, path: path)) {
                try await Self.fetcher(network).download(request, to: path, overwrites: false)
            }
            #expect(network.requests.isEmpty)
            #expect(try Self.names(beside: path) == ["file"])
            #expect(FileManager.default.contents(atPath: path) == mine)
            try FileManager.default.removeItem(atPath: path)
            let racing = FileServer(Self.content).network { try mine.write(to: URL(filePath: path)) }
            await #expect(throws: FileError(.exists, path: path)) {
                try await Self.fetcher(racing).download(request, to: path, overwrites: false)
            }
            #expect(FileManager.default.contents(atPath: path) == mine)
            // What came is not lost: nothing is missing any more.
            try await Self.fetcher(network).download(request, to: path)
            #expect(Self.bytes(path) == Self.content)
            #expect(Self.ranges(network) == ["bytes=10000-"])
        }
    }

    @Test(
        "Without overwriting, a file with the name of the partial download stays",
        .covers(130),
        arguments: ["part", "part.json"]
    )
    func foreignPart(_ ending: String) async throws {
        try await Self.play { path in
            let mine = Data("mine".utf8)
            try mine.write(to: URL(filePath: "\(path).\(ending)"))
            await #expect(throws: FileError(.exists, path: "\(path).\(ending)")) {
                try await Self.fetcher(FileServer(Self.content).network())
                    .download(try HTTPRequest(url: Self.url), to: path, overwrites: false)
            }
            #expect(FileManager.default.contents(atPath: "\(path).\(ending)") == mine)
            #expect(try Self.names(beside: path) == ["file.\(ending)"])
        }
    }

    @Test(
        "A partial download that belongs to another user is refused",
        .covers(136),
        .shows(claims: 18),
        .enabled(if: geteuid() == 0, "only root can give a file to another user")
    )
    func foreignOwner() async throws {
        try await Self.play { path in
            let request = try HTTPRequest(url: Self.url)
            let part = path + ".part"
            try Data("theirs".utf8).write(to: URL(filePath: part))
            #expect(chown(part, 65_534, 65_534) == 0)
            await #expect(throws: FileError(.foreignOwner, path: part)) {
                try await Self.fetcher(FileServer(Self.content).network()).download(request, to: path)
            }
            #expect(FileManager.default.contents(atPath: part) == Data("theirs".utf8))
            #expect(try Self.names(beside: path) == ["file.part"])
        }
    }

    @Test(
        "A partial download whose description belongs to another user is not continued",
        .covers(136),
        .enabled(if: geteuid() == 0, "only root can give a file to another user")
    )
    func foreignDescription() async throws {
        try await Self.play { path in
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
        "A partial download that is a symbolic link is refused, and what it leads to stays",
        arguments: [true, false]
    )
    func linkedPart(exists: Bool) async throws {
        try await Self.play { path in
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
