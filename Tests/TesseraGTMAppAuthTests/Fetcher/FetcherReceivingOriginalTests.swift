// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import HTTPTypes
internal import TestTraits
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

@Suite("Response bodies of a fetcher", .timeLimit(.minutes(1)))
struct FetcherReceivingOriginalTests {
    @Test(
        "Writes the body to a file, and replaces an existing one",
        .original("GTMSessionFetcher GTMSessionFetcher.h destinationFileURL"),
        arguments: [false, true]
    )
    func file(_ exists: Bool) async throws {
        let network = FetcherNetwork(.parts(["ab", "c"], length: 3))
        try await FetcherFolder.run { folder in
            let parent = folder.appending(component: "a").appending(component: "b")
            let file = parent.appending(component: "file")
            if exists {
                try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
                try Data("a longer content".utf8).write(to: file)
            }
            try await network.run {
                let fetcher = try network.fetcher()
                fetcher.destinationFileURL = file
                let result = await fetcher.result()
                #expect(result.data == nil)
                #expect(result.error == nil)
                #expect(fetcher.downloadedLength == 3)
                #expect(fetcher.downloadedData == nil)
            }
            #expect(try Data(contentsOf: file) == Data("abc".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path(percentEncoded: false)) == ["file"])
        }
    }

    @Test(
        "Writes no file after a failure",
        .original("GTMSessionFetcher GTMSessionFetcher.h destinationFileURL"),
        arguments: [20_000, 20_001]
    )
    func failedFile(_ count: Int) async throws {
        let text = String(repeating: "a", count: count)
        let network = FetcherNetwork(.text(text, .badRequest))
        try await FetcherFolder.run { folder in
            try await network.run {
                let fetcher = try network.fetcher()
                fetcher.destinationFileURL = folder.appending(component: "file")
                let result = await fetcher.result()
                #expect(result.data == nil)
                #expect(result.error?.code == 400)
                let data = result.error?.userInfo[kGTMSessionFetcherStatusDataKey] as? Data
                #expect(data == (count > 20_000 ? nil : Data(text.utf8)))
                let type = result.error?.userInfo[kGTMSessionFetcherStatusDataContentTypeKey] as? String
                #expect(type == (count > 20_000 ? nil : "text/plain"))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).isEmpty)
        }
    }

    @Test(
        "Keeps an existing file if the connection is lost",
        .original("GTMSessionFetcher GTMSessionFetcher.h destinationFileURL")
    )
    func interruptedFile() async throws {
        let network = FetcherNetwork(.parts(["a"], length: 3, error: TransportError(.connectionLost)))
        try await FetcherFolder.run { folder in
            let file = folder.appending(component: "file")
            try Data("old".utf8).write(to: file)
            try await network.run {
                let fetcher = try network.fetcher()
                fetcher.destinationFileURL = file
                #expect(await fetcher.result().error?.code == NSURLErrorNetworkConnectionLost)
            }
            #expect(try Data(contentsOf: file) == Data("old".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)) == ["file"])
        }
    }

    @Test(
        "Reports the progress of a download",
        .original("GTMSessionFetcher GTMSessionFetcher.h downloadProgressBlock"),
        arguments: [nil, 3] as [Int64?]
    )
    func downloadProgress(_ length: Int64?) async throws {
        let (network, log) = (FetcherNetwork(.parts(["ab", "c"], length: length)), FetcherLog())
        try await FetcherFolder.run { folder in
            try await network.run {
                let fetcher = try network.fetcher()
                fetcher.destinationFileURL = folder.appending(component: "file")
                fetcher.downloadProgressBlock = { log.add("\($0) \($1) \($2)") }
                fetcher.receivedProgressBlock = { _, _ in log.add("received") }
                _ = await fetcher.result()
                #expect(log.entries == ["2 2 \(length ?? -1)", "1 3 \(length ?? -1)"])
            }
        }
    }

    @Test(
        "Reports the progress of a body in memory",
        .original("GTMSessionFetcher GTMSessionFetcher.h receivedProgressBlock")
    )
    func receivedProgress() async throws {
        let (network, log) = (FetcherNetwork(.parts(["ab", "c"], length: 3)), FetcherLog())
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.receivedProgressBlock = { log.add("\($0) \($1)") }
            #expect(await fetcher.result().text == "abc")
            #expect(log.entries == ["2 2", "1 3"])
        }
    }

    @Test(
        "Passes the body of a response or an error in parts",
        .original("GTMSessionFetcher GTMSessionFetcher.h accumulateDataBlock"),
        arguments: [HTTPResponse.Status.ok, .badRequest]
    )
    func parts(_ status: HTTPResponse.Status) async throws {
        var response = ScriptedResponse.parts(["ab", "c"], length: 3)
        response.head.status = status
        let (network, log) = (FetcherNetwork(response), FetcherLog())
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.accumulateDataBlock = { log.add($0, nil) }
            fetcher.receivedProgressBlock = { _, _ in log.add("received") }
            let result = await fetcher.result()
            #expect(result.data == nil)
            #expect(result.error?.code == (status == .ok ? nil : 400))
            #expect(result.error?.userInfo[kGTMSessionFetcherStatusDataKey] == nil)
            #expect(log.entries == ["ab 0", "c 0"])
            #expect(fetcher.downloadedLength == 3)
        }
    }

    @Test(
        "Tells the app that the body starts over after a redirect or an interrupted body",
        .original("GTMSessionFetcher GTMSessionFetcher.h accumulateDataBlock")
    )
    func startsOver() async throws {
        let network = FetcherNetwork(
            .redirect(to: "/other"),
            .parts(["a"], length: 2, error: TransportError(.connectionLost)),
            .parts(["ab"], length: 2)
        )
        let log = FetcherLog()
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.isRetryEnabled = true
            fetcher.accumulateDataBlock = { log.add($0, nil) }
            #expect(await fetcher.result().error == nil)
            #expect(log.entries == ["nil 0", "a 0", "nil 0", "ab 0"])
        }
    }

    @Test(
        "Lets the app decide whether to read a response",
        .original("GTMSessionFetcher GTMSessionFetcher.h didReceiveResponseBlock"),
        arguments: [URLSession.ResponseDisposition.allow, .cancel]
    )
    func disposition(_ disposition: URLSession.ResponseDisposition) async throws {
        let (network, log) = (FetcherNetwork(.redirect(to: "/other"), .text("a", .created)), FetcherLog())
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.didReceiveResponseBlock = { response, answer in
                log.add("\((response as? HTTPURLResponse)?.statusCode ?? 0) \(response.url?.path() ?? "")")
                FetcherDecision { answer(disposition) }.supplyOnAnotherThread()
            }
            let result = await fetcher.result()
            #expect(log.entries == ["201 /other"])
            #expect(fetcher.statusCode == 201)
            #expect(result.text == (disposition == .allow ? "a" : nil))
            #expect(result.error?.code == (disposition == .allow ? nil : NSURLErrorCancelled))
        }
    }

    @Test(
        "Decodes data URLs without the authorizer",
        .original("GTMSessionFetcher GTMSessionFetcher.m beginFetchMayDelay"),
        arguments: [
            ("data:text/plain;base64,aGVsbG8=", "hello"), ("data:text/plain;BASE64,aGVsbG8%3D", "hello"),
            ("data:,a%20b+c", "a b+c"), ("data:text/plain;charset=utf-8,", ""),
        ]
    )
    func dataURL(_ url: String, _ text: String) async throws {
        let network = FetcherNetwork()
        let authorizer = NumberingAuthorizer()
        try await FetcherFolder.run { folder in
            try await network.run {
                let (fetcher, download) = (try network.fetcher(url), try network.fetcher(url))
                fetcher.authorizer = authorizer
                let result = await fetcher.result()
                #expect(result.text == text)
                #expect(result.error == nil)
                #expect(fetcher.statusCode == 0)
                let file = folder.appending(component: "file")
                download.destinationFileURL = file
                #expect(await download.result().error == nil)
                #expect(try Data(contentsOf: file) == Data(text.utf8))
            }
        }
        #expect(authorizer.count == 0)
        #expect(network.requests.isEmpty)
    }

    @Test(
        "Rejects data URLs that are not valid",
        .original("GTMSessionFetcher GTMSessionFetcher.m beginFetchMayDelay"),
        arguments: ["data:text/plain", "data:text/plain;base64,a"]
    )
    func invalidDataURL(_ url: String) async throws {
        let network = FetcherNetwork()
        try await network.run {
            let error = try await network.fetcher(url).result().error
            #expect(error?.domain == NSURLErrorDomain)
            #expect(error?.code == NSURLErrorBadURL)
        }
    }

    @Test(
        "Reads a file only if the app permits it",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testInsecureRequests")
    )
    func fileURL() async throws {
        let network = FetcherNetwork()
        try await FetcherFolder.run { folder in
            let file = folder.appending(component: "file")
            try Data("abc".utf8).write(to: file)
            try await network.run {
                let fetchers = try (0..<3).map { _ in try network.fetcher(file.absoluteString) }
                fetchers[1].allowLocalhostRequest = true
                fetchers[2].allowedInsecureSchemes = ["FILE"]
                let rejected = await fetchers[0].result()
                #expect(rejected.data == nil)
                #expect(rejected.error?.code == GTMSessionFetcherError.insecureRequest.rawValue)
                for fetcher in fetchers[1...] { #expect(await fetcher.result().text == "abc") }
                try FileManager.default.removeItem(at: file)
                let missing = await fetchers[1].result()
                #expect(missing.error?.domain == NSCocoaErrorDomain)
                #expect(missing.error?.code == CocoaError.Code.fileReadNoSuchFile.rawValue)
            }
        }
    }
}
