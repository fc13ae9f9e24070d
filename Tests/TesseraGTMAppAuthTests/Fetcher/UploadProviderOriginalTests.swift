// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TestTraits
internal import TesseraGTMAppAuth
internal import TesseraTesting
internal import Testing

@Suite("Data providers of uploads, as in GTMSessionFetcher")
struct UploadProviderOriginalTests {
    /// Returns a fetcher whose data comes from a provider.
    private static func fetcher(
        _ server: UploadServer,
        length: Int64 = 199_000,
        _ provider: @escaping GTMSessionUploadFetcherDataProvider
    ) -> GTMSessionUploadFetcher {
        let fetcher = server.fetcher()
        fetcher.uploadData = nil
        fetcher.setUploadDataLength(length, provider: provider)
        return fetcher
    }

    private static func part(_ offset: Int64, _ length: Int64) -> Data {
        UploadServer.big.dropFirst(Int(offset)).prefix(Int(length))
    }

    @Test(
        "Reports the provider's error",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, provider error")
    )
    func error() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = Self.fetcher(server) { _, _, respond in
                respond(nil, 199_000, NSError(domain: "provider", code: -123))
            }
            let end = await fetcher.end()
            #expect(end.data == nil)
            #expect(end.domain == "provider")
            #expect(end.code == -123)
            #expect(server.requests.isEmpty)
        }
    }

    @Test(
        "Reports a provider without data and without an error",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, uploadChunkUnavailableErrorWithDescription:"),
        arguments: [true, false]
    )
    func unavailable(_ responds: Bool) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = Self.fetcher(server) { _, _, respond in
                if responds { respond(nil, 199_000, nil) }
            }
            let end = await fetcher.end()
            #expect(end.domain == kGTMSessionFetcherErrorDomain)
            #expect(end.code == GTMSessionFetcherError.uploadChunkUnavailable.rawValue)
            #expect((end.error as NSError?)?.userInfo["description"] is String)
        }
    }

    @Test(
        "Uploads data of unknown length until the provider states the length",
        .original("GTMSessionFetcher GTMSessionFetcherChunkedUploadTest, unknown length")
    )
    func unknownLength() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = Self.fetcher(server, length: kGTMSessionUploadFetcherUnknownFileSize) {
                $2(Self.part($0, $1), $0 + $1 < 199_000 ? kGTMSessionUploadFetcherUnknownFileSize : 199_000, nil)
            }
            #expect(await fetcher.end().text == "done")
            #expect(server.starts.map { $0.upload("Content-Length") } == ["-1"])
            #expect(server.commands == ["upload", "upload", "upload, finalize"])
            #expect(server.requests.map { $0.upload("Content-Length") } == [nil, nil, "199000"])
            #expect(server.received == UploadServer.big)
        }
    }

    @Test(
        "Finalizes an upload whose length the provider states only after the last byte",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.h, GTMSessionUploadFetcherDataProviderResponse")
    )
    func lateLength() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = Self.fetcher(server, length: kGTMSessionUploadFetcherUnknownFileSize) {
                $2(Self.part($0, $1), $0 < 199_000 ? kGTMSessionUploadFetcherUnknownFileSize : 199_000, nil)
            }
            #expect(await fetcher.end().text == "done")
            #expect(server.commands == ["upload", "upload", "upload", "finalize"])
            #expect(server.offsets == [0, 75_000, 150_000, 199_000])
            #expect(server.received == UploadServer.big)
        }
    }

    @Test(
        "Keeps the known length if the provider states none",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, generateChunkSubdataWithOffset:length:response:"),
        arguments: [0, -1] as [Int64]
    )
    func statedLength(_ stated: Int64) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = Self.fetcher(server) { $2(Self.part($0, $1), stated, nil) }
            #expect(await fetcher.end().text == "done")
            #expect(server.received == UploadServer.big)
        }
    }

    @Test(
        "Sends no more than it has requested from the provider",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.h, GTMSessionUploadFetcherDataProvider")
    )
    func tooMuch() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = Self.fetcher(server) { offset, _, respond in
                respond(Self.part(offset, .max / 2) + Data("more".utf8), 199_000, nil)
            }
            #expect(await fetcher.end().text == "done")
            #expect(server.lengths == [75_000, 75_000, 49_000])
            #expect(server.received == UploadServer.big)
        }
    }

    @Test(
        "Continues after the bytes that the provider has supplied if they are fewer than requested",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.h, GTMSessionUploadFetcherDataProvider")
    )
    func tooLittle() async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = Self.fetcher(server) { $2(Self.part($0, min($1, 60_000)), 199_000, nil) }
            #expect(await fetcher.end().text == "done")
            #expect(server.offsets == [0, 60_000, 120_000, 180_000])
            #expect(server.commands.last == "upload, finalize")
            #expect(server.received == UploadServer.big)
        }
    }

    @Test(
        "Fails if the provider supplies nothing before the end, or states a length that it has already exceeded",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, uploadChunkUnavailableErrorWithDescription:"),
        arguments: [(0, 199_000), (10, 50_000)] as [(Int, Int64)]
    )
    func contradiction(_ count: Int, _ length: Int64) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program)
            let fetcher = Self.fetcher(server) { offset, requested, respond in
                if offset == 0 {
                    respond(Self.part(0, requested), 199_000, nil)
                } else {
                    respond(Data(count: count), length, nil)
                }
            }
            let end = await fetcher.end()
            #expect(end.code == GTMSessionFetcherError.uploadChunkUnavailable.rawValue)
            #expect(server.commands == ["upload"])
        }
    }

    @Test(
        "Releases the provider and the cancellation handler at the end",
        .original("GTMSessionFetcher GTMSessionUploadFetcher.m, releaseUploadAndBaseCallbacks:"),
        arguments: [true, false]
    )
    func release(_ succeeds: Bool) async throws {
        let program = try AppAuthProgram()
        await program.run {
            let server = UploadServer(program) { _, _ in succeeds ? nil : .status(.notFound) }
            var object: NSObject? = NSObject()
            let released = WeakReference(object: object)
            let fetcher = Self.fetcher(server) { [object] offset, length, respond in
                withExtendedLifetime(object) { respond(Self.part(offset, length), 199_000, nil) }
            }
            fetcher.cancellationHandler = { [object] _, _, _ in withExtendedLifetime(object) {} }
            object = nil
            #expect(released.object != nil)
            #expect((await fetcher.end().error == nil) == succeeds)
            #expect(fetcher.uploadDataProvider == nil)
            #expect(fetcher.cancellationHandler == nil)
            #expect(released.object == nil)
        }
    }
}
