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

@Suite("Results of a fetcher", .timeLimit(.minutes(1)))
struct FetcherResultOriginalTests {
    @Test(
        "Passes the body to the completion handler",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testFetch")
    )
    func body() async throws {
        let network = FetcherNetwork(.text("hello"))
        try await network.run {
            let fetcher = try network.fetcher()
            let result = await fetcher.result()
            #expect(result.text == "hello")
            #expect(result.error == nil)
            #expect(fetcher.statusCode == 200)
            #expect(fetcher.response?.url?.absoluteString == FetcherNetwork.url)
            #expect(fetcher.request?.url?.absoluteString == FetcherNetwork.url)
            #expect(fetcher.downloadedLength == 5)
            #expect(fetcher.downloadedData == Data("hello".utf8))
            #expect(!fetcher.isFetching)
        }
    }

    @Test(
        "Passes empty data for an empty body",
        .original("GTMSessionFetcher GTMSessionFetcher.m finishWithError"),
        arguments: [HTTPResponse.Status.ok, .noContent, .init(code: 299)]
    )
    func emptyBody(_ status: HTTPResponse.Status) async throws {
        let network = FetcherNetwork(.text("", status))
        try await network.run {
            let result = try await network.fetcher().result()
            #expect(result.data == Data())
            #expect(result.error == nil)
        }
    }

    @Test(
        "Has the response's header fields only after the response",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testFetcherTestBlock")
    )
    func headers() async throws {
        let name = try #require(HTTPField.Name("Bichon"))
        let network = FetcherNetwork(.text("", .ok, [name: "Frise"]))
        try await network.run {
            let fetcher = try network.fetcher()
            #expect(fetcher.responseHeaders == nil)
            #expect(fetcher.response == nil)
            #expect(fetcher.statusCode == 0)
            _ = await fetcher.result()
            #expect(fetcher.responseHeaders?["Bichon"] == "Frise")
        }
    }

    @Test(
        "Names the header fields of a response in their usual form",
        .original("GTMSessionFetcher GTMSessionFetcher.h responseHeaders")
    )
    func headerNames() async throws {
        let name = try #require(HTTPField.Name("content-type"))
        let response = ScriptedResponse(
            HTTPResponse(status: .badRequest, headerFields: [name: "text/x"]),
            body: .init("a")
        )
        let network = FetcherNetwork(response)
        try await network.run {
            let fetcher = try network.fetcher()
            let error = await fetcher.result().error
            #expect(fetcher.responseHeaders?["Content-Type"] == "text/x")
            #expect(error?.userInfo[kGTMSessionFetcherStatusDataContentTypeKey] as? String == "text/x")
        }
    }

    @Test(
        "Reports a status with the body and its type",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testWrongFetch")
    )
    func status() async throws {
        let network = FetcherNetwork(.json(#"{"error":1}"#, status: .badRequest))
        try await network.run {
            let fetcher = try network.fetcher()
            let result = await fetcher.result()
            #expect(result.error?.domain == kGTMSessionFetcherStatusDomain)
            #expect(result.error?.code == GTMSessionFetcherStatus.badRequest.rawValue)
            #expect(result.text == #"{"error":1}"#)
            #expect(result.error?.userInfo[kGTMSessionFetcherStatusDataKey] as? Data == result.data)
            #expect(result.error?.userInfo[kGTMSessionFetcherStatusDataContentTypeKey] as? String == "application/json")
            #expect(result.error?.userInfo[kGTMSessionFetcherNumberOfRetriesDoneKey] == nil)
            #expect(fetcher.statusCode == 400)
        }
    }

    @Test(
        "Reports a status without a body without data",
        .original("GTMSessionFetcher GTMSessionFetcher.m finishWithError"),
        arguments: [HTTPResponse.Status.multipleChoices, .notModified, .internalServerError]
    )
    func statusWithoutBody(_ status: HTTPResponse.Status) async throws {
        let network = FetcherNetwork(.text("", status))
        try await network.run {
            let result = try await network.fetcher().result()
            #expect(result.data == nil)
            #expect(result.error?.domain == "com.google.HTTPStatus")
            #expect(result.error?.code == status.code)
            // GTMSessionFetcher's error has no description.
            #expect(result.error?.userInfo.keys.sorted() == [NSLocalizedDescriptionKey])
        }
    }

    @Test(
        "Reports a failure of the network in NSURLErrorDomain",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testWrongFetch"),
        arguments: [
            (TransportError.Code.cannotConnect, NSURLErrorCannotConnectToHost),
            (.nameResolution, NSURLErrorCannotFindHost), (.timedOut, NSURLErrorTimedOut),
            (.connectionLost, NSURLErrorNetworkConnectionLost), (.tls, URLError.Code.secureConnectionFailed.rawValue),
            (.insecureURL, NSURLErrorAppTransportSecurityRequiresSecureConnection),
            (.bodyTooLarge, NSURLErrorDataLengthExceedsMaximum), (.invalidResponse, NSURLErrorBadServerResponse),
        ]
    )
    func networkFailure(_ failure: TransportError.Code, _ code: Int) async throws {
        let network = FetcherNetwork { _ in throw TransportError(failure) }
        try await network.run {
            let fetcher = try network.fetcher()
            let result = await fetcher.result()
            #expect(result.data == nil)
            #expect(result.error?.domain == NSURLErrorDomain)
            #expect(result.error?.code == code)
            #expect(fetcher.statusCode == 0)
            #expect(fetcher.response == nil)
            #expect(fetcher.responseHeaders == nil)
        }
    }

    @Test(
        "Sends a request without a completion handler",
        .original("GTMSessionFetcher GTMSessionFetcher.h beginFetchWithCompletionHandler")
    )
    func withoutHandler() async throws {
        let network = FetcherNetwork(.text("hello", .accepted))
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.beginFetch(completionHandler: nil)
            await fetcher.waitForEnd()
            #expect(fetcher.statusCode == 202)
        }
    }

    @Test(
        "Returns the body to a task, or throws the error",
        .original("GTMSessionFetcher GTMSessionFetcher.h beginFetchWithCompletionHandler")
    )
    func async() async throws {
        let network = FetcherNetwork(.text("hello"), .text("", .forbidden))
        try await network.run {
            let data = try await network.fetcher().beginFetch()
            #expect(data == Data("hello".utf8))
            let error = await failure { try await network.fetcher().beginFetch() }
            #expect(error?.domain == kGTMSessionFetcherStatusDomain)
            #expect(error?.code == 403)
        }
    }

    @Test(
        "Reports a missing URL",
        .original("GTMSessionFetcher GTMSessionFetcher.m beginFetchMayDelay")
    )
    func missingURL() async throws {
        let network = FetcherNetwork()
        await network.run {
            for fetcher in [
                GTMSessionFetcher(), .init(request: nil), .init(urlString: ""),
                network.service().fetcher(withURLString: ""),
            ] {
                fetcher.callbackQueue = DispatchQueue(label: "fetcher")
                #expect(fetcher.request?.url == nil)
                let result = await fetcher.result()
                #expect(result.data == nil)
                #expect(result.error?.domain == kGTMSessionFetcherErrorDomain)
                #expect(result.error?.code == GTMSessionFetcherError.downloadFailed.rawValue)
                #expect(result.error?.userInfo["NSErrorFailingURLStringKey"] as? String == "(missing URL)")
            }
        }
    }

    @Test(
        "Rejects a URL with a user name",
        .original("GTMSessionFetcher GTMSessionFetcher.m beginFetchMayDelay")
    )
    func userName() async throws {
        let network = FetcherNetwork(.text())
        try await network.run {
            let error = try await network.fetcher("https://user@api.example/").result().error
            #expect(error?.domain == kGTMSessionFetcherErrorDomain)
            #expect(error?.code == GTMSessionFetcherError.taskCreationFailed.rawValue)
            #expect(network.requests.isEmpty)
        }
    }

    @Test(
        "Ends a request whose response takes longer than its timeout",
        .original("GTMSessionFetcher GTMSessionFetcher.h request")
    )
    func timeout() async throws {
        let network = FetcherNetwork(endsWaits: false) { _ in
            await waitForCancellation()
            throw CancellationError()
        }
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.request?.timeoutInterval = 5
            async let result = fetcher.result()
            await network.clock.sleeperCount(reaches: 1)
            network.clock.advance(by: .seconds(5))
            let error = await result.error
            #expect(error?.domain == NSURLErrorDomain)
            #expect(error?.code == NSURLErrorTimedOut)
        }
    }

    @Test(
        "Accepts every timeout of a request",
        .original("GTMSessionFetcher GTMSessionFetcher.m beginFetchMayDelay"),
        arguments: [0, -1, .infinity, .greatestFiniteMagnitude] as [Double]
    )
    func timeoutValues(_ seconds: Double) async throws {
        let network = FetcherNetwork(.text("hello"))
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.request?.timeoutInterval = seconds
            #expect(await fetcher.result().text == "hello")
        }
    }

    @Test(
        "Fetches again after the end of a fetch, without its results",
        .original("GTMSessionFetcher GTMSessionFetcher.m beginFetchMayDelay")
    )
    func secondFetch() async throws {
        let network = FetcherNetwork(.redirect(to: "/other"), .text("hello"))
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.authorizer = NumberingAuthorizer()
            #expect(await fetcher.result().text == "hello")
            let second = await fetcher.result()
            #expect(second.error?.code == NSURLErrorCannotConnectToHost)
            #expect(fetcher.statusCode == 0)
            #expect(fetcher.responseHeaders == nil)
            #expect(fetcher.downloadedData == nil)
            #expect(fetcher.downloadedLength == 0)
            #expect(network.requests.map(\.path) == ["/files", "/other", "/files"])
            #expect(network.requests.map(\.authorization) == ["Own 1", "Own 2", "Own 3"])
        }
    }

    @Test(
        "Describes a fetcher with its host, without the rest of the URL",
        .original("GTMSessionFetcher GTMSessionFetcher.m description")
    )
    func description() throws {
        let url = try #require(URL(string: "https://user:secret@api.example/secret?token=secret"))
        let fetcher = GTMSessionFetcher(url: url)
        #expect(fetcher.description.contains("GTMSessionFetcher"))
        #expect(fetcher.description.contains("api.example"))
        #expect(!"\(fetcher) \(fetcher.debugDescription)".contains("secret"))
    }
}
