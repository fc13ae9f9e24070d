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
internal import TesseraTesting
internal import Testing

@Suite("User agents of a fetcher", .timeLimit(.minutes(1)))
struct FetcherUserAgentOriginalTests {
    /// A provider that computes its header only when asked.
    private final class SlowProvider: GTMUserAgentProvider {
        let arrival = TesseraTesting.Gate()
        let cachedUserAgent: String? = nil
        private let mayReturn = DispatchSemaphore(value: 0)

        var userAgent: String {
            let arrival = self.arrival
            arrival.open()
            self.mayReturn.wait()
            self.mayReturn.signal()
            return "slow/1"
        }

        func open() { self.mayReturn.signal() }
    }

    private static func userAgents(_ network: FetcherNetwork) -> [String?] {
        network.requests.map { $0.head.headerFields[.userAgent] }
    }

    @Test(
        "Sends the service's header, or that of the request",
        .original("GTMSessionFetcher GTMSessionFetcherService.h userAgent"),
        arguments: [
            (nil, nil, GTMFetcherStandardUserAgentString(nil)), ("X/1", nil, "X/1"), ("X/1", "Y/1", "Y/1"),
            (nil, "Y/1", "Y/1"),
        ] as [(String?, String?, String)]
    )
    func header(_ service: String?, _ request: String?, _ sent: String) async throws {
        let network = FetcherNetwork(.text())
        await network.run {
            let own = network.service()
            #expect(own.userAgent == GTMFetcherStandardUserAgentString(nil))
            if let service { own.userAgent = service }
            let fetcher = own.fetcher(withURLString: FetcherNetwork.url)
            if let request { fetcher.setRequestValue(request, forHTTPHeaderField: "User-Agent") }
            #expect(fetcher.request?.value(forHTTPHeaderField: "User-Agent") == request)
            _ = await fetcher.result()
            #expect(Self.userAgents(network) == [sent])
            #expect(fetcher.request?.value(forHTTPHeaderField: "User-Agent") == sent)
        }
    }

    @Test(
        "Sends no header without a service or a provider",
        .original("GTMSessionFetcher GTMSessionFetcher.h userAgentProvider")
    )
    func none() async throws {
        let network = FetcherNetwork(.text(), .text())
        try await network.run {
            let service = network.service()
            service.userAgent = nil
            #expect(service.userAgentProvider == nil)
            for fetcher in [try network.fetcher(), service.fetcher(withURLString: FetcherNetwork.url)] {
                _ = await fetcher.result()
            }
            #expect(Self.userAgents(network) == [nil, nil])
        }
    }

    @Test(
        "Sends the header fields of the configuration that the request does not have",
        .original("GTMSessionFetcher GTMSessionFetcher.h configuration")
    )
    func configuration() async throws {
        let network = FetcherNetwork(.text())
        await network.run {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpAdditionalHeaders = ["User-Agent": "C/1", "Accept": "a/c"]
            let service = network.service()
            service.configuration = configuration
            let fetcher = service.fetcher(withURLString: FetcherNetwork.url)
            fetcher.setRequestValue("a/r", forHTTPHeaderField: "Accept")
            _ = await fetcher.result()
            #expect(Self.userAgents(network) == ["C/1"])
            #expect(network.requests.map { $0.head.headerFields[.accept] } == ["a/r"])
        }
    }

    @Test(
        "Lets the app change the configuration once, on the callback queue",
        .original("GTMSessionFetcher GTMSessionFetcher.h configurationBlock")
    )
    func configurationBlock() async throws {
        let (network, log) = (FetcherNetwork(.text("", .badGateway), .text("a")), FetcherLog())
        try await network.run {
            let (fetcher, key) = (try network.fetcher(), DispatchSpecificKey<Bool>())
            fetcher.callbackQueue.setSpecific(key: key, value: true)
            fetcher.isRetryEnabled = true
            fetcher.configurationBlock = { fetcher, configuration in
                log.add("\(DispatchQueue.getSpecific(key: key) == true) \(fetcher.isFetching)")
                configuration.httpAdditionalHeaders = ["User-Agent": "C/1"]
            }
            #expect(await fetcher.result().text == "a")
            #expect(log.entries == ["true true"])
            #expect(Self.userAgents(network) == ["C/1", "C/1"])
            #expect(fetcher.configuration?.httpAdditionalHeaders?["User-Agent"] as? String == "C/1")
        }
    }

    @Test(
        "Waits for the provider's header",
        .original("GTMSessionFetcher GTMSessionFetcher.h userAgentProvider")
    )
    func slowProvider() async throws {
        let (network, provider) = (FetcherNetwork(.text()), SlowProvider())
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.userAgentProvider = provider
            async let result = fetcher.result()
            await provider.arrival.pass()
            #expect(network.requests.isEmpty)
            provider.open()
            #expect(await result.error == nil)
            #expect(Self.userAgents(network) == ["slow/1"])
        }
    }

    @Test(
        "Sends nothing if it is stopped while the provider computes the header",
        .original("GTMSessionFetcher GTMSessionFetcher.h userAgentProvider")
    )
    func stopDuringProvider() async throws {
        let (network, provider) = (FetcherNetwork(.text()), SlowProvider())
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.stopFetchingTriggersCompletionHandler = true
            fetcher.userAgentProvider = provider
            async let result = fetcher.result()
            await provider.arrival.pass()
            fetcher.stopFetching()
            #expect(await result.error?.code == GTMSessionFetcherError.userCancelled.rawValue)
            provider.open()
            #expect(network.requests.isEmpty)
        }
    }

    @Test(
        "Supplies a fixed or the standard header",
        .original("GTMSessionFetcher GTMSessionFetcher.h GTMUserAgentStringProvider")
    )
    func providers() {
        let fixed = GTMUserAgentStringProvider(userAgentString: "a/1")
        #expect(fixed.cachedUserAgent == "a/1")
        #expect(fixed.userAgent == "a/1")
        let standard = GTMStandardUserAgentProvider(bundle: nil)
        #expect(standard.userAgent == GTMFetcherStandardUserAgentString(nil))
        #expect(standard.cachedUserAgent == standard.userAgent)
    }

    @Test(
        "Has the app's identifier and version and the system's in the standard header",
        .original("GTMSessionFetcher GTMSessionFetcher.h GTMFetcherStandardUserAgentString")
    )
    func standard() throws {
        let system = GTMFetcherSystemVersionString()
        #expect(try /^[A-Za-z]+\/[0-9]+(\.[0-9]+)+$/.wholeMatch(in: system) != nil)
        let text = GTMFetcherStandardUserAgentString(nil)
        #expect(text == "\(GTMFetcherApplicationIdentifier(nil)) \(system)")
    }

    @Test(
        "Takes the app's identifier and version from the bundle",
        .original("GTMSessionFetcher GTMSessionFetcher.h GTMFetcherApplicationIdentifier"),
        arguments: [
            (["CFBundleIdentifier": "com.example.app", "CFBundleShortVersionString": "1.2"], "com.example.app/1.2"),
            (["CFBundleIdentifier": "com.example.app", "CFBundleVersion": "34"], "com.example.app/34"),
            (["CFBundleIdentifier": "com.example.app"], "com.example.app"),
            (["CFBundleIdentifier": "com.example.app", "GTMUserAgentID": "own/1"], "own/1"),
            (["CFBundleIdentifier": "a b", "CFBundleShortVersionString": "1 (2)"], "a_b/1_2"),
        ]
    )
    func identifier(_ info: [String: String], _ identifier: String) async throws {
        try await FetcherFolder.run { folder in
            let contents = folder.appending(component: "A.bundle").appending(component: "Contents")
            try FileManager.default.createDirectory(at: contents, withIntermediateDirectories: true)
            let plist = try PropertyListSerialization.data(fromPropertyList: info, format: .xml, options: 0)
            try plist.write(to: contents.appending(component: "Info.plist"))
            let bundle = try #require(Bundle(url: contents.deletingLastPathComponent()))
            #expect(GTMFetcherApplicationIdentifier(bundle) == identifier)
        }
    }

    @Test(
        "Removes the characters that a product name cannot have",
        .original("GTMSessionFetcher GTMSessionFetcher.h GTMFetcherCleanedUserAgentString"),
        arguments: [
            ("frog in tree/[1.2.3]", "frog_in_tree1.2.3"), ("\\iPod ({Touch])\n\r", "iPod_Touch"), ("", ""),
            ("a\r\nHeader: b", "aHeader_b"), ("1.2-3_4", "1.2-3_4"), ("é\u{0}", ""),
        ]
    )
    func cleaned(_ text: String, _ cleaned: String) {
        #expect(GTMFetcherCleanedUserAgentString(text) == cleaned)
    }
}
