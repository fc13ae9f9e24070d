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

@Suite("Decorators of a fetcher service", .timeLimit(.minutes(1)))
struct FetcherDecoratorOriginalTests {
    @Test(
        "Lets each decorator change the request of the one before",
        .original("GTMSessionFetcher GTMSessionFetcherService.h addDecorator")
    )
    func changesRequests() async throws {
        let (network, log) = (FetcherNetwork(.text("a")), FetcherLog())
        try await network.run {
            let service = network.service()
            let decorators = [FetcherDecorator("1", log), FetcherDecorator("2", log)]
            for decorator in decorators { service.addDecorator(decorator) }
            let result = await service.fetcher(withURLString: FetcherNetwork.url).result()
            log.add(result.data, result.error)
            #expect(log.entries == ["start 1 nil", "start 2 1", "finish 1 a 0", "finish 2 a 0", "a 0"])
            let name = try #require(HTTPField.Name("X-Decorator"))
            #expect(network.requests.map { $0.head.headerFields[name] } == ["2"])
            for decorator in decorators { service.removeDecorator(decorator) }
        }
    }

    @Test(
        "Holds decorators weakly until they are removed",
        .original("GTMSessionFetcher GTMSessionFetcherService.h removeDecorator")
    )
    func removesDecorators() async throws {
        let (network, log) = (FetcherNetwork(.text("a")), FetcherLog())
        await network.run {
            let service = network.service()
            #expect(service.decorators == nil)
            let (first, second) = (FetcherDecorator("1", log), FetcherDecorator("2", log))
            service.addDecorator(first)
            service.addDecorator(second)
            service.addDecorator(FetcherDecorator("3", log))
            #expect(service.decorators?.count == 2)
            #expect(service.decorators?.first === first)
            service.removeDecorator(first)
            #expect(service.decorators?.count == 1)
            _ = await service.fetcher(withURLString: FetcherNetwork.url).result()
            #expect(log.entries == ["start 2 nil", "finish 2 a 0"])
            service.removeDecorator(second)
            #expect(service.decorators == nil)
        }
    }

    @Test(
        "Ends the fetch with the error of a decorator",
        .original("GTMSessionFetcher GTMSessionFetcher.h GTMFetcherDecoratorProtocol")
    )
    func fails() async throws {
        let (network, log) = (FetcherNetwork(.text("a")), FetcherLog())
        await network.run {
            let service = network.service()
            let failing = FetcherDecorator("1", log, .fails(NSError(domain: "d", code: 1)))
            let other = FetcherDecorator("2", log)
            service.addDecorator(failing)
            service.addDecorator(other)
            service.isRetryEnabled = true
            service.retryBlock = { _, _, answer in answer(true) }
            let result = await service.fetcher(withURLString: FetcherNetwork.url).result()
            #expect(result.data == nil)
            #expect(result.error?.domain == "d")
            #expect(result.error?.code == 1)
            #expect(log.entries == ["start 1 nil", "finish 1 nil 1", "finish 2 nil 1"])
            #expect(network.requests.isEmpty)
            for decorator in [failing, other] { service.removeDecorator(decorator) }
        }
    }

    @Test(
        "Calls the decorators before each attempt, and once at the end",
        .original("GTMSessionFetcher GTMSessionFetcher.h GTMFetcherDecoratorProtocol")
    )
    func retries() async throws {
        let (network, log) = (FetcherNetwork(.redirect(to: "/b"), .text("", .badGateway), .text("a")), FetcherLog())
        await network.run {
            let service = network.service()
            let decorator = FetcherDecorator("1", log)
            service.addDecorator(decorator)
            service.isRetryEnabled = true
            service.authorizer = NumberingAuthorizer()
            _ = await service.fetcher(withURLString: FetcherNetwork.url).result()
            #expect(log.entries == ["start 1 nil", "start 1 1", "finish 1 a 0"])
            #expect(network.requests.map(\.path) == ["/files", "/b", "/files"])
            #expect(network.requests.map(\.authorization) == ["Own 1", "Own 2", "Own 3"])
            service.removeDecorator(decorator)
        }
    }

    @Test(
        "Sends nothing if a decorator stops the fetcher",
        .original("GTMSessionFetcher GTMSessionFetcher.h GTMFetcherDecoratorProtocol")
    )
    func stops() async throws {
        let (network, log) = (FetcherNetwork(.text("a")), FetcherLog())
        await network.run {
            let service = network.service()
            service.stopFetchingTriggersCompletionHandler = true
            let decorators = [FetcherDecorator("1", log, .stops), FetcherDecorator("2", log)]
            for decorator in decorators { service.addDecorator(decorator) }
            let result = await service.fetcher(withURLString: FetcherNetwork.url).result()
            #expect(result.error?.code == GTMSessionFetcherError.userCancelled.rawValue)
            await log.count(reaches: 3)
            #expect(log.entries == ["start 1 nil", "finish 1 nil -7", "finish 2 nil -7"])
            #expect(network.requests.isEmpty)
            #expect(service.numberOfFetchers() == 0)
            for decorator in decorators { service.removeDecorator(decorator) }
        }
    }

    @Test(
        "Accepts a decorator that calls its handlers twice or never",
        .original("GTMSessionFetcher GTMSessionFetcher.h GTMFetcherDecoratorProtocol"),
        arguments: [FetcherDecorator.Behavior.answersTwice, .neverAnswers]
    )
    func handlers(_ behavior: FetcherDecorator.Behavior) async throws {
        let (network, log) = (FetcherNetwork(.text("a")), FetcherLog())
        await network.run {
            let service = network.service()
            let decorator = FetcherDecorator("1", log, behavior)
            service.addDecorator(decorator)
            #expect(await service.fetcher(withURLString: FetcherNetwork.url).result().text == "a")
            #expect(log.entries == ["start 1 nil", "finish 1 a 0"])
            service.removeDecorator(decorator)
        }
    }

    @Test(
        "Returns a decorator's request to a task, or throws its error",
        .original("GTMSessionFetcher GTMSessionFetcher.h GTMFetcherDecoratorProtocol")
    )
    func tasks() async throws {
        let log = FetcherLog()
        let fetcher = GTMSessionFetcher(urlString: FetcherNetwork.url)
        let request = try await FetcherDecorator("1", log).fetcherWillStart(fetcher)
        #expect(request.value(forHTTPHeaderField: "X-Decorator") == "1")
        let kept = try await FetcherDecorator("1", log, .neverAnswers).fetcherWillStart(fetcher)
        #expect(kept.url?.absoluteString == FetcherNetwork.url)
        let error = await failure {
            try await FetcherDecorator("1", log, .fails(NSError(domain: "d", code: 1))).fetcherWillStart(fetcher)
        }
        #expect(error?.domain == "d")
        await FetcherDecorator("1", log).fetcherDidFinish(fetcher, with: Data("a".utf8), error: nil)
        #expect(log.entries.last == "finish 1 a 0")
    }
}

/// A decorator that records its calls, and sets a header field.
final class FetcherDecorator: GTMFetcherDecoratorProtocol {
    enum Behavior: Sendable {
        case changes, stops, answersTwice, neverAnswers
        case fails(NSError)
    }

    private let name: String
    private let log: FetcherLog
    private let behavior: Behavior

    init(_ name: String, _ log: FetcherLog, _ behavior: Behavior = .changes) {
        self.name = name
        self.log = log
        self.behavior = behavior
    }

    func fetcherWillStart(
        _ fetcher: GTMSessionFetcher,
        completionHandler handler: @escaping @Sendable (URLRequest?, (any Error)?) -> Void
    ) {
        var request = fetcher.request
        self.log.add("start \(self.name) \(request?.value(forHTTPHeaderField: "X-Decorator") ?? "nil")")
        request?.setValue(self.name, forHTTPHeaderField: "X-Decorator")
        switch self.behavior {
        case .changes: handler(request, nil)
        case .stops:
            fetcher.stopFetching()
            handler(request, nil)
        case .answersTwice:
            handler(nil, nil)
            handler(request, nil)
        case .neverAnswers: break
        case .fails(let error): handler(nil, error)
        }
    }

    func fetcherDidFinish(
        _ fetcher: GTMSessionFetcher,
        with data: Data?,
        error: (any Error)?,
        completionHandler handler: @escaping @Sendable () -> Void
    ) {
        let text = data.map { String(decoding: $0, as: UTF8.self) } ?? "nil"
        self.log.add("finish \(self.name) \(text) \((error as NSError?)?.code ?? 0)")
        if case .neverAnswers = self.behavior { return }
        handler()
        if case .answersTwice = self.behavior { handler() }
    }
}
