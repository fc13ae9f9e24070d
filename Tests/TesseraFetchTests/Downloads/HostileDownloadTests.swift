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

@Suite("Downloads from hostile servers and into prepared folders")
struct HostileDownloadTests {
    private static let url = "https://api.example/files/1?alt=media"

    private static func withTemporaryPath(_ body: (_ path: String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/download-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder + "/file")
    }

    private static func response(
        _ status: Int,
        _ count: Int = 0,
        range: String? = nil,
        length: Int64? = nil,
        isCut: Bool = false,
        tag: String = "\"one\""
    ) -> ScriptedResponse {
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
        return ScriptedResponse(HTTPResponse(status: .init(code: status), headerFields: fields), body: body)
    }

    /// Creates a transport that responds according to the number of the request.
    private static func network(_ script: @escaping @Sendable (Int) -> ScriptedResponse) -> ScriptedTransport {
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
        runtime.clock = SelfAdvancingClock()
        try await AuthorizedFetcher(try ScriptedSource(), runtime: runtime)
            .download(try HTTPRequest(url: Self.url), to: path)
        return FileManager.default.contents(atPath: path)?.count
    }

    private static func ranges(_ network: ScriptedTransport) -> [String?] {
        network.requests.map { $0.head.headerFields[.range] }
    }

    @Test("Restarts if a 416 reports another length than the first response", .covers(152))
    func shorterWhole() async throws {
        try await Self.withTemporaryPath { path in
            let network = Self.network { number in
                switch number {
                case 1: Self.response(200, 10, length: 1000, isCut: true)
                case 2: Self.response(416, range: "bytes */10")
                default: Self.response(200, 1000, length: 1000)
                }
            }
            let count = try await Self.download(network, to: path)
            #expect(count == 1000)
            #expect(Self.ranges(network) == [nil, "bytes=10-", nil])
        }
    }

    @Test("Continues a download of unknown length until the server has no more data", .covers(152))
    func unknownLength() async throws {
        try await Self.withTemporaryPath { path in
            let network = Self.network { number in
                switch number {
                case 1: Self.response(200, 10, isCut: true)
                case 2: Self.response(206, 10, range: "bytes 10-19/*")
                case 3: Self.response(206, 5, range: "bytes 20-29/*")
                case 4: Self.response(206, 5, range: "bytes 25-9223372036854775807/*", isCut: true)
                default: Self.response(416, range: "bytes */30")
                }
            }
            let count = try await Self.download(network, to: path)
            #expect(count == 30)
            #expect(Self.ranges(network) == [nil, "bytes=10-", "bytes=20-", "bytes=25-", "bytes=30-"])
        }
    }

    @Test("Rejects a partial response that is longer than its range", .covers(152), arguments: ["1000", "*"])
    func longerPart(total: String) async throws {
        try await Self.withTemporaryPath { path in
            let network = Self.network { number in
                switch number {
                case 1: Self.response(200, 10, isCut: true)
                case 2: Self.response(206, 990, range: "bytes 10-19/\(total)")
                default: Self.response(200, 7, length: 7)
                }
            }
            let count = try await Self.download(network, to: path)
            #expect(count == 7)
            #expect(Self.ranges(network) == [nil, "bytes=10-", nil])
        }
    }

    @Test(
        "Stops a download that restarts repeatedly without progress",
        .covers(152),
        arguments: ["other range", "other tag", "longer body", "no progress"]
    )
    func endless(kind: String) async throws {
        try await Self.withTemporaryPath { path in
            let network = Self.network { number in
                switch (kind, number.isMultiple(of: 2)) {
                case ("other range", true): Self.response(206, 10, range: "bytes 11-999/1000")
                case ("other tag", let isEven):
                    Self.response(200, isEven ? 10 : 11, length: 1000, isCut: true, tag: "\"\(number)\"")
                case ("longer body", _): Self.response(200, 50, length: 10)
                default: Self.response(200, 10, length: 1000, isCut: true)
                }
            }
            await #expect(throws: TransportError.self) { try await Self.download(network, to: path) }
            #expect(network.requests.count < 100)
        }
    }

    @Test("Rejects a partial download that is a hard link, and leaves the other file unchanged", .covers(153))
    func hardLink() async throws {
        try await Self.withTemporaryPath { path in
            let (victim, part) = (path + "-victim", path + ".part")
            try Data("precious".utf8).write(to: URL(filePath: victim))
            try FileManager.default.linkItem(atPath: victim, toPath: part)
            let network = Self.network { _ in Self.response(200, 5, length: 5) }
            await #expect(throws: FileError(.system(number: EMLINK, call: "open"), path: part)) {
                try await Self.download(network, to: path)
            }
            #expect(network.requests.isEmpty)
            #expect(FileManager.default.contents(atPath: victim) == Data("precious".utf8))
        }
    }

    @Test(
        "Rejects a partial download that was renamed or replaced before it was locked",
        .covers(153),
        arguments: [true, false]
    )
    func renamed(isMoved: Bool) async throws {
        try await Self.withTemporaryPath { path in
            let part = path + ".part"
            try Data("whole".utf8).write(to: URL(filePath: part))
            let file = OpenFile(descriptor: open(part, O_RDWR), path: part)
            // Another process completes its download here and releases its lock.
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
