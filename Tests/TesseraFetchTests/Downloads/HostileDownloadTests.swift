// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing
@testable internal import TesseraFetch

@Suite("Downloads from a server that contradicts itself, and to a folder that others prepared")
struct HostileDownloadTests {
    private static let url = "https://api.example/files/1?alt=media"

    private static func play(_ body: (_ path: String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/download-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder + "/file")
    }

    private static func answer(
        _ status: Int,
        _ count: Int = 0,
        range: String? = nil,
        length: Int64? = nil,
        isCut: Bool = false,
        tag: String = "\"one\""
    ) -> ScriptedAnswer {
        var fields: HTTPFields = [.eTag: tag]
        fields[.contentRange] = range
        let body = HTTPBody(length: length, isReplayable: false) {
            var isFirst = true
            return {
                defer { isFirst = false }
                if isFirst, count > 0 { return [UInt8](repeating: 1, count: count) }
                if isCut { throw TransportError(.connectionLost) }
                return nil
            }
        }
        return ScriptedAnswer(HTTPResponse(status: .init(code: status), headerFields: fields), body: body)
    }

    /// Answers by the number of the request.
    private static func network(_ script: @escaping @Sendable (Int) -> ScriptedAnswer) -> ScriptedTransport {
        let number = Mutex(0)
        return ScriptedTransport { _ in
            let number = number.withLock { number in
                number += 1
                return number
            }
            return number > 500 ? .status(.forbidden) : script(number)
        }
    }

    @discardableResult
    private static func download(_ network: ScriptedTransport, to path: String) async throws -> Int? {
        var runtime = OAuthRuntime.testing(transport: network, clock: TestClock())
        runtime.clock = ImpatientClock()
        try await AuthorizedFetcher(try ScriptedSource(), runtime: runtime)
            .download(try HTTPRequest(url: Self.url), to: path)
        return FileManager.default.contents(atPath: path)?.count
    }

    private static func ranges(_ network: ScriptedTransport) -> [String?] {
        network.requests.map { $0.head.headerFields[.range] }
    }

    @Test("A 416 that names another length than the first response is no end", .covers(152))
    func shorterWhole() async throws {
        try await Self.play { path in
            let network = Self.network { number in
                switch number {
                case 1: Self.answer(200, 10, length: 1000, isCut: true)
                case 2: Self.answer(416, range: "bytes */10")
                default: Self.answer(200, 1000, length: 1000)
                }
            }
            let count = try await Self.download(network, to: path)
            #expect(count == 1000)
            #expect(Self.ranges(network) == [nil, "bytes=10-", nil])
        }
    }

    @Test("Where the server does not tell the length, a download goes on until there is no more", .covers(152))
    func unknownLength() async throws {
        try await Self.play { path in
            let network = Self.network { number in
                switch number {
                case 1: Self.answer(200, 10, isCut: true)
                case 2: Self.answer(206, 10, range: "bytes 10-19/*")
                case 3: Self.answer(206, 5, range: "bytes 20-29/*")
                case 4: Self.answer(206, 5, range: "bytes 25-9223372036854775807/*", isCut: true)
                default: Self.answer(416, range: "bytes */30")
                }
            }
            let count = try await Self.download(network, to: path)
            #expect(count == 30)
            #expect(Self.ranges(network) == [nil, "bytes=10-", "bytes=20-", "bytes=25-", "bytes=30-"])
        }
    }

    @Test("A part that is longer than its range is not taken", .covers(152), arguments: ["1000", "*"])
    func longerPart(total: String) async throws {
        try await Self.play { path in
            let network = Self.network { number in
                switch number {
                case 1: Self.answer(200, 10, isCut: true)
                case 2: Self.answer(206, 990, range: "bytes 10-19/\(total)")
                default: Self.answer(200, 7, length: 7)
                }
            }
            let count = try await Self.download(network, to: path)
            #expect(count == 7)
            #expect(Self.ranges(network) == [nil, "bytes=10-", nil])
        }
    }

    @Test(
        "A download that has to begin again and again ends",
        .covers(152),
        arguments: ["other range", "other tag", "longer body", "no progress"]
    )
    func endless(kind: String) async throws {
        try await Self.play { path in
            let network = Self.network { number in
                switch (kind, number.isMultiple(of: 2)) {
                case ("other range", true): Self.answer(206, 10, range: "bytes 11-999/1000")
                case ("other tag", let isEven):
                    Self.answer(200, isEven ? 10 : 11, length: 1000, isCut: true, tag: "\"\(number)\"")
                case ("longer body", _): Self.answer(200, 50, length: 10)
                default: Self.answer(200, 10, length: 1000, isCut: true)
                }
            }
            await #expect(throws: TransportError.self) { try await Self.download(network, to: path) }
            #expect(network.requests.count < 100)
        }
    }

    @Test("A partial download that is a second name of another file is refused, and the file stays", .covers(153))
    func hardLink() async throws {
        try await Self.play { path in
            let (victim, part) = (path + "-victim", path + ".part")
            try Data("precious".utf8).write(to: URL(filePath: victim))
            try FileManager.default.linkItem(atPath: victim, toPath: part)
            let network = Self.network { _ in Self.answer(200, 5, length: 5) }
            await #expect(throws: FileError(.system(number: EMLINK, call: "open"), path: part)) {
                try await Self.download(network, to: path)
            }
            #expect(network.requests.isEmpty)
            #expect(FileManager.default.contents(atPath: victim) == Data("precious".utf8))
        }
    }

    @Test(
        "A partial download that got its final name before it was locked is another one's",
        .covers(153),
        arguments: [true, false]
    )
    func renamed(isMoved: Bool) async throws {
        try await Self.play { path in
            let part = path + ".part"
            try Data("whole".utf8).write(to: URL(filePath: part))
            let file = OpenFile(descriptor: open(part, O_RDWR), path: part)
            // Another process ends here, and gives up its lock.
            if isMoved {
                try FileManager.default.moveItem(atPath: part, toPath: path)
            } else {
                try FileManager.default.removeItem(atPath: part)
                try Data("newer".utf8).write(to: URL(filePath: part))
            }
            #expect(throws: FileError(.busy, path: part)) { try TransferFile.lock(file) }
        }
    }
}
