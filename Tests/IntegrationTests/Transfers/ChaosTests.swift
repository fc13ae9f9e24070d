// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TestTransport
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// `TESSERA_TRANSFERS` and `TESSERA_TRANSFER_BYTES` set the number and the size of the transfers.
@Suite("Transfers over an unreliable network")
struct ChaosTests {
    private static let transfers = Repetitions.count("TESSERA_TRANSFERS", default: 8)
    private static let size = Repetitions.count("TESSERA_TRANSFER_BYTES", default: 3_000_000)

    @Test("Completes every upload and download exactly once and byte for byte", .timeLimit(.minutes(60)))
    func everyByte() async throws {
        let seed = TestSeed.printed()
        let random = SeededRandomBytes(seed: seed)
        let proxy = try ChaosProxy(seed: seed)
        defer { proxy.stop() }
        let folder = FileManager.default.temporaryDirectory.path + "/chaos-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder + "/drive", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var options = LocalProviderOptions()
        options.dataDirectory = folder + "/drive"
        options.publicURL = "http://127.0.0.1:\(proxy.port)"
        let provider = try await LocalProvider.start(options)
        proxy.forward(to: provider.port)
        let fetcher = try await Self.fetcher(provider)

        proxy.disrupt(span: Int64(Self.size) / 2)
        for number in 0..<Self.transfers {
            // No two blocks of the content are equal.
            let (start, some) = (random.next(2), random.next(4096))
            let length = Self.size - Int(start[0]) * 1021 % max(1, Self.size)
            var content: [UInt8] = []
            while content.count < length {
                content += withUnsafeBytes(of: content.count) { Array($0) } + some
            }
            content.removeLast(content.count - length)
            let file = "\(folder)/file-\(number)"
            try Data(content).write(to: URL(filePath: file))
            let comment = Comment("transfer \(number), seed \(seed)")

            let id = try await Self.upload(file, content, number, provider.baseURL, fetcher)
            let copy = file + "-copy"
            let request = try HTTPRequest(url: "\(provider.baseURL)/drive/v3/files/\(id)?alt=media")
            try await fetcher.download(request, to: copy)
            #expect(try Data(contentsOf: URL(filePath: copy)) == Data(content), comment)
            for path in [file, copy] { try FileManager.default.removeItem(atPath: path) }
        }
        proxy.disrupt(false, span: 1)
        let list = try HTTPRequest(url: "\(provider.baseURL)/drive/v3/files?pageSize=1000")
        let files = try JSONValue(parsing: try await fetcher.data(for: list))["files"]
        #expect(files?.elements?.count { _ in true } == Self.transfers, "each upload creates one file")
        #expect(proxy.disruptions > Self.transfers, "too few disruptions: \(proxy.disruptions)")
        await provider.stop()
    }

    /// Uploads with either protocol, in one or several pieces, from a file or a sequence, and returns the file's ID.
    private static func upload(
        _ file: String,
        _ content: [UInt8],
        _ number: Int,
        _ origin: String,
        _ fetcher: AuthorizedFetcher
    ) async throws -> String {
        let usesFields = number % 2 == 1
        let chunks = stride(from: 0, to: content.count, by: 100_000)
            .map { Array(content[$0..<min($0 + 100_000, content.count)]) }
        let source =
            number % 3 == 0
            ? HTTPBody(length: nil, isReplayable: true) { Self.next(chunks) } : try await HTTPBody(file: file)
        let upload = Upload(
            try HTTPRequest(method: .post, url: origin + (usesFields ? "/resumable" : "") + "/upload/drive/v3/files"),
            metadata: HTTPBody(#"{"name":"file-\#(number)"}"#),
            source: source,
            strategy: usesFields ? GoogleUploadProtocol() : GoogleResumableUpload(),
            pieceSize: number % 4 < 2 ? 1 << 20 : nil
        )
        let (_, response) = try await fetcher.upload(upload)
        return try #require(try JSONValue(parsing: response)["id"]?.string)
    }

    private static func next(_ chunks: [[UInt8]]) -> HTTPBody.Next {
        var rest = chunks[...]
        return { rest.popFirst() }
    }

    /// Signs in with write access and returns a fetcher with short retry delays.
    private static func fetcher(_ provider: LocalProvider) async throws -> AuthorizedFetcher {
        let scopes: [Scope] = [.openID, "https://www.googleapis.com/auth/drive"]
        let session = try await RefreshRounds.signIn(at: provider, store: InMemoryStore(), scopes: scopes)
        var settings = FetchSettings.google
        settings.backoff = Backoff(initial: .milliseconds(1), cap: .milliseconds(20), attempts: 200)
        return session.fetcher(settings: settings)
    }
}
#endif
