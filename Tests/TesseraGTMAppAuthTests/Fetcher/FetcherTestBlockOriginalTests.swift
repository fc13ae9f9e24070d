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

@Suite("Test blocks of a fetcher", .timeLimit(.minutes(1)))
struct FetcherTestBlockOriginalTests {
    private static func response(_ status: Int, _ fields: [String: String] = [:]) throws -> HTTPURLResponse {
        let url = try #require(URL(string: FetcherNetwork.url))
        return try #require(HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields))
    }

    @Test(
        "Replaces the network",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testFetcherTestBlock")
    )
    func replacesNetwork() async throws {
        let (network, log) = (FetcherNetwork(), FetcherLog())
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.authorizer = NumberingAuthorizer()
            fetcher.bodyData = Data("body".utf8)
            fetcher.sendProgressBlock = { log.add("sent \($0) \($1) \($2)") }
            fetcher.receivedProgressBlock = { log.add("received \($0) \($1)") }
            fetcher.didReceiveResponseBlock = { _, answer in
                log.add("response")
                answer(.allow)
            }
            let response = try Self.response(200, ["Bichon": "Frise"])
            fetcher.testBlock = { fetcher, answer in
                let request = fetcher.request
                log.add("\(request?.httpMethod ?? "") \(request?.value(forHTTPHeaderField: "Authorization") ?? "")")
                FetcherDecision { answer(response, Data("hello".utf8), nil) }.supplyOnAnotherThread()
            }
            #expect(await fetcher.result().text == "hello")
            #expect(fetcher.statusCode == 200)
            #expect(fetcher.responseHeaders?["Bichon"] == "Frise")
            #expect(fetcher.testBlock == nil)
            #expect(log.entries == ["POST Own 1", "sent 4 4 4", "response", "received 5 5"])
            #expect(network.requests.isEmpty)
        }
    }

    @Test(
        "Fails with the status or the error that it supplies",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testFetcherTestBlock")
    )
    func fails() async throws {
        let network = FetcherNetwork()
        try await network.run {
            let notFound = try Self.response(404, ["Content-Type": "text/x"])
            let fetcher = try network.fetcher()
            fetcher.testBlock = { _, answer in answer(notFound, Data("a".utf8), nil) }
            let status = await fetcher.result()
            #expect(status.error?.domain == kGTMSessionFetcherStatusDomain)
            #expect(status.error?.code == 404)
            #expect(status.error?.userInfo[kGTMSessionFetcherStatusDataContentTypeKey] as? String == "text/x")
            #expect(status.text == "a")

            let other = try network.fetcher()
            other.testBlock = { _, answer in answer(notFound, Data("b".utf8), NSError(domain: "d", code: 1)) }
            let error = await other.result()
            #expect(error.error?.domain == "d")
            #expect(error.error?.code == 1)
            #expect(error.text == "b")
            #expect(other.statusCode == 404)
        }
    }

    @Test(
        "Sends the request if it supplies nothing",
        .original("GTMSessionFetcher GTMSessionFetcher.h testBlock")
    )
    func suppliesNothing() async throws {
        let network = FetcherNetwork(.text("network"))
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.testBlock = { _, answer in answer(nil, nil, nil) }
            #expect(await fetcher.result().text == "network")
        }
    }

    @Test(
        "Does not send the request if it never responds",
        .original("GTMSessionFetcher GTMSessionFetcher.h testBlock")
    )
    func neverAnswers() async throws {
        let (network, log) = (FetcherNetwork(.text("network")), FetcherLog())
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.testBlock = { _, _ in log.add("asked") }
            async let error = failure { try await fetcher.beginFetch() }
            await log.count(reaches: 1)
            #expect(fetcher.isFetching)
            fetcher.stopFetching()
            #expect(await error?.code == GTMSessionFetcherError.userCancelled.rawValue)
            #expect(network.requests.isEmpty)
        }
    }

    @Test(
        "Sees no token of an AuthSession, unlike GTMSessionFetcher",
        .original("GTMSessionFetcher GTMSessionFetcher.m beginFetchMayDelay")
    )
    func authSession() async throws {
        let network = FetcherNetwork()
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.authorizer = try SessionSamples.session()
            let response = try Self.response(200)
            fetcher.testBlock = { fetcher, answer in
                #expect(fetcher.request?.value(forHTTPHeaderField: "Authorization") == nil)
                answer(response, Data("a".utf8), nil)
            }
            #expect(await fetcher.result().text == "a")
            #expect(network.requests.isEmpty)
        }
    }

    @Test(
        "Is not called for a request that must not be sent",
        .original("GTMSessionFetcher GTMSessionFetcher.m beginFetchMayDelay")
    )
    func insecure() async throws {
        let network = FetcherNetwork()
        try await network.run {
            let fetcher = try network.fetcher("http://api.example/")
            fetcher.testBlock = { _, _ in Issue.record("The block was called.") }
            #expect(await fetcher.result().error?.code == GTMSessionFetcherError.insecureRequest.rawValue)
        }
    }

    @Test(
        "Supplies the body in as many parts as requested",
        .original("GTMSessionFetcher GTMSessionFetcher.h testBlockAccumulateDataChunkCount"),
        arguments: [(333, 10, 10), (333, 0, 1), (1, 10, 1), (12, 10, 10), (0, 10, 0), (5, UInt.max, 1)]
            as [(Int, UInt, Int)]
    )
    func parts(_ length: Int, _ count: UInt, _ expected: Int) async throws {
        let network = FetcherNetwork()
        let parts = Mutex<[Data?]>([])
        try await network.run {
            let fetcher = try network.fetcher()
            let data = Data((0..<length).map { UInt8(truncatingIfNeeded: $0) })
            let response = try Self.response(200)
            fetcher.testBlock = { _, answer in answer(response, data, nil) }
            fetcher.testBlockAccumulateDataChunkCount = count
            fetcher.accumulateDataBlock = { part in parts.withLock { $0.append(part) } }
            #expect(await fetcher.result().data == nil)
            let received = parts.withLock { $0 }
            #expect(received.count == expected)
            #expect(Data(received.compactMap(\.self).joined()) == data)
        }
    }

    @Test(
        "Writes its data to a file",
        .original("GTMSessionFetcher GTMSessionFetcher.m simulateFetchForTestBlock")
    )
    func file() async throws {
        let (network, log) = (FetcherNetwork(), FetcherLog())
        try await FetcherFolder.run { folder in
            try await network.run {
                let (fetcher, file) = (try network.fetcher(), folder.appending(component: "file"))
                fetcher.destinationFileURL = file
                fetcher.downloadProgressBlock = { log.add("\($0) \($1) \($2)") }
                fetcher.didReceiveResponseBlock = { _, _ in Issue.record("There is no response.") }
                fetcher.testBlock = { _, answer in answer(nil, Data("abc".utf8), nil) }
                let result = await fetcher.result()
                #expect(result.data == nil)
                #expect(result.error == nil)
                #expect(try Data(contentsOf: file) == Data("abc".utf8))
                #expect(log.entries == ["3 3 3"])
            }
        }
    }

    @Test("Is called again for a retry", .original("GTMSessionFetcher GTMSessionFetcher.h testBlock"))
    func retries() async throws {
        let (network, log) = (FetcherNetwork(), FetcherLog())
        try await network.run {
            let (success, timeout) = (try Self.response(200), try Self.response(504))
            let fetcher = try network.fetcher()
            let notifications = FetcherNotifications(fetcher)
            fetcher.isRetryEnabled = true
            fetcher.testBlock = { fetcher, answer in
                answer(fetcher.retryCount < 3 ? timeout : success, Data("a".utf8), nil)
            }
            fetcher.retryBlock = { suggestion, error, answer in
                log.add("\(suggestion) \((error as NSError?)?.code ?? 0)")
                answer(suggestion)
            }
            #expect(await fetcher.result().text == "a")
            #expect(log.entries == ["true 504", "true 504", "true 504"])
            await notifications.log.count(reaches: 15)
            let attempt = ["started", "stopped"]
            let retry = attempt + ["wait", "waited"]
            #expect(notifications.log.entries == retry + retry + retry + attempt + ["invoked a"])
        }
    }

    @Test(
        "Returns fetchers with the data, error and response of a mock service",
        .original("GTMSessionFetcher GTMSessionFetcherService.h mockFetcherServiceWithFakedData")
    )
    func mockService() async throws {
        let network = FetcherNetwork()
        try await network.run {
            let url = try #require(URL(string: FetcherNetwork.url))
            let (data, error) = (Data("a".utf8), NSError(domain: "d", code: 1))
            let services: [(GTMSessionFetcherService, Int)] = [
                (.mockFetcherService(withFakedData: data, fakedError: nil), 200),
                (.mockFetcherService(withFakedData: data, fakedError: error), 500),
                (
                    .mockFetcherService(
                        withFakedData: data,
                        fakedResponse: try Self.response(204),
                        fakedError: nil
                    ), 204
                ),
            ]
            for (service, status) in services {
                service.callbackQueue = DispatchQueue(label: "service")
                for _ in 0..<2 {
                    let fetcher = service.fetcher(with: url)
                    let result = await fetcher.result()
                    #expect(result.text == "a")
                    #expect(result.error?.domain == (status == 500 ? "d" : nil))
                    #expect(fetcher.statusCode == status)
                }
            }
            let empty = GTMSessionFetcherService.mockFetcherService(withFakedData: nil, fakedError: nil)
            empty.callbackQueue = DispatchQueue(label: "service")
            #expect(await empty.fetcher(with: url).result().data == nil)
        }
    }
}
