// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import HTTPTypes
internal import TestTraits
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Settings of a fetcher service", .timeLimit(.minutes(1)))
struct FetcherServiceSettingsOriginalTests {
    private final class OwnFetcher: GTMSessionFetcher, @unchecked Sendable {}

    @Test(
        "Passes its settings to the fetchers that it creates",
        .original("GTMSessionFetcher GTMSessionFetcherService.h fetcherWithRequest")
    )
    func settings() throws {
        let service = GTMSessionFetcherService()
        let authorizer = NumberingAuthorizer()
        let provider = GTMUserAgentStringProvider(userAgentString: "a/1")
        let (queue, configuration) = (DispatchQueue(label: "queue"), URLSessionConfiguration.ephemeral)
        service.authorizer = authorizer
        service.callbackQueue = queue
        service.allowLocalhostRequest = true
        service.allowedInsecureSchemes = ["http"]
        service.configuration = configuration
        service.configurationBlock = { _, _ in }
        service.isRetryEnabled = true
        service.retryBlock = { _, _, answer in answer(false) }
        service.minRetryInterval = 5
        service.maxRetryInterval = 50
        service.properties = ["key": 1]
        service.stopFetchingTriggersCompletionHandler = true
        service.userAgentProvider = provider
        service.testBlock = { _, answer in answer(nil, nil, nil) }
        let fetcher = service.fetcher(with: try #require(URL(string: FetcherNetwork.url)))
        #expect(fetcher.service === service)
        #expect(fetcher.authorizer === authorizer)
        #expect(fetcher.callbackQueue === queue)
        #expect(fetcher.allowLocalhostRequest)
        #expect(fetcher.allowedInsecureSchemes == ["http"])
        #expect(fetcher.configuration === configuration)
        #expect(fetcher.configurationBlock != nil)
        #expect(fetcher.isRetryEnabled)
        #expect(fetcher.retryBlock != nil)
        #expect(fetcher.minRetryInterval == 5)
        #expect(fetcher.maxRetryInterval == 50)
        #expect(fetcher.property(forKey: "key") as? Int == 1)
        #expect(fetcher.stopFetchingTriggersCompletionHandler)
        #expect(fetcher.userAgentProvider === provider)
        #expect(fetcher.testBlock != nil)
    }

    @Test(
        "Does not change fetchers that it has created",
        .original("GTMSessionFetcher GTMSessionFetcherService.m fetcherWithRequest")
    )
    func copies() throws {
        let service = GTMSessionFetcherService()
        let fetcher = service.fetcher(with: try #require(URL(string: FetcherNetwork.url)))
        service.authorizer = NumberingAuthorizer()
        service.isRetryEnabled = true
        service.allowLocalhostRequest = true
        #expect(fetcher.authorizer == nil)
        #expect(!fetcher.isRetryEnabled)
        #expect(!fetcher.allowLocalhostRequest)
        fetcher.setProperty(1, forKey: "key")
        #expect(service.properties == nil)
    }

    @Test(
        "Has defaults",
        .original("GTMSessionFetcher GTMSessionFetcherService.h")
    )
    func defaults() throws {
        let service = GTMSessionFetcherService()
        #expect(service.authorizer == nil)
        #expect(service.callbackQueue.label == DispatchQueue.main.label)
        #expect(!service.isRetryEnabled)
        #expect(service.minRetryInterval == 0)
        #expect(service.maxRetryInterval == 0)
        #expect(service.delegateQueue == nil)
        #expect(service.reuseSession)
        service.reuseSession = false
        #expect(service.reuseSession)
        // Each fetcher has another random first wait.
        let url = try #require(URL(string: FetcherNetwork.url))
        let intervals = (0..<20).map { _ in service.fetcher(with: url).minRetryInterval }
        #expect(intervals.allSatisfy { (1...2).contains($0) })
        #expect(Set(intervals).count > 1)
    }

    @Test(
        "Creates fetchers for requests, URLs and strings",
        .original("GTMSessionFetcher GTMSessionFetcherService.h fetcherWithRequest")
    )
    func creates() throws {
        let service = GTMSessionFetcherService()
        let url = try #require(URL(string: FetcherNetwork.url))
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        request.setValue("b", forHTTPHeaderField: "X-A")
        #expect(service.fetcher(with: request).request == request)
        for fetcher in [service.fetcher(with: url), service.fetcher(withURLString: FetcherNetwork.url)] {
            #expect(fetcher.request?.url == url)
            #expect(fetcher.request?.httpMethod == "GET")
            #expect(fetcher.service === service)
        }
        let own = service.fetcher(with: request, fetcherClass: OwnFetcher.self) as? GTMSessionFetcher
        #expect(own is OwnFetcher)
        #expect(own?.service === service)
        #expect(own?.request == request)
        #expect(service.fetcher(with: request, fetcherClass: NSString.self) is GTMSessionFetcher)
    }

    @Test(
        "Creates fetchers through its protocol",
        .original("GTMSessionFetcher GTMSessionFetcher.h GTMSessionFetcherServiceProtocol")
    )
    func serviceProtocol() throws {
        let service: any GTMSessionFetcherServiceProtocol = GTMSessionFetcherService()
        let request = URLRequest(url: try #require(URL(string: FetcherNetwork.url)))
        #expect(service.fetcher(with: request).request == request)
        #expect(service.callbackQueue.label == DispatchQueue.main.label)
        #expect(service.delegateQueue == nil)
    }

    @Test(
        "Gives each fetcher a serial queue if the callback queue is concurrent",
        .original("GTMSessionFetcher GTMSessionFetcherService.h setConcurrentCallbackQueue")
    )
    func concurrentQueue() async throws {
        let (network, log) = (FetcherNetwork(.parts((0..<100).map { "\($0) " }, length: nil)), FetcherLog())
        try await network.run {
            let (service, key) = (network.service(), DispatchSpecificKey<Bool>())
            let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
            queue.setSpecific(key: key, value: true)
            service.setConcurrentCallbackQueue(queue)
            let url = try #require(URL(string: FetcherNetwork.url))
            let (fetcher, other) = (service.fetcher(with: url), service.fetcher(with: url))
            #expect(fetcher.callbackQueue !== queue)
            #expect(fetcher.callbackQueue !== other.callbackQueue)
            fetcher.accumulateDataBlock = { data in
                let isOnQueue = DispatchQueue.getSpecific(key: key) == true
                log.add((data.map { String(decoding: $0, as: UTF8.self) } ?? "nil") + "\(isOnQueue)")
            }
            #expect(await fetcher.result().error == nil)
            #expect(log.entries == (0..<100).map { "\($0) true" })
            service.callbackQueue = queue
            #expect(service.fetcher(with: url).callbackQueue === queue)
        }
    }

    private final class Settings: Sendable {
        let service: GTMSessionFetcherService

        init(_ service: GTMSessionFetcherService) { self.service = service }

        deinit { self.service.maxRunningFetchersPerHost = 1 }
    }

    @Test(
        "Releases a closure whose objects use the service when they are released",
        .original("GTMSessionFetcher GTMSessionFetcherService.h testBlock")
    )
    func releasesSettings() throws {
        let service = GTMSessionFetcherService()
        do {
            let settings = Settings(service)
            service.testBlock = { _, _ in _ = settings }
        }
        #expect(service.maxRunningFetchersPerHost == 10)
        service.testBlock = nil
        #expect(service.maxRunningFetchersPerHost == 1)
    }
}
