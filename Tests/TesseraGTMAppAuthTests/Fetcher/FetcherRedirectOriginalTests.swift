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

@Suite("Insecure requests and redirects of a fetcher", .timeLimit(.minutes(1)))
struct FetcherRedirectOriginalTests {
    @Test(
        "Sends requests over https, and over http to this machine if the app permits it",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testInsecureRequests"),
        arguments: [
            ("https://api.example/", false, nil, 0), ("http://api.example/", false, nil, -5),
            ("http://localhost:1/", false, nil, -5), ("http://localhost:1/", true, nil, 0),
            ("http://127.0.0.1/", true, nil, 0), ("http://[::1]/", true, nil, 0), ("http://127.0.0.2/", true, nil, 0),
            ("http://localhost/", false, ["http"], 0), ("http://localhost/", false, ["HTTP"], 0),
            ("http://localhost/", false, ["x"], -5), ("http://api.example/", true, ["http"], -5),
            ("http://localhost.example/", true, ["http"], -5), ("ftp://api.example/", false, ["ftp"], -6),
            ("ftp://api.example/", true, nil, -5),
        ] as [(String, Bool, [String]?, Int)]
    )
    func insecure(_ url: String, _ allowsLocalhost: Bool, _ schemes: [String]?, _ code: Int) async throws {
        let network = FetcherNetwork(.text())
        try await network.run {
            let fetcher = try network.fetcher(url)
            let authorizer = NumberingAuthorizer()
            fetcher.authorizer = authorizer
            fetcher.allowLocalhostRequest = allowsLocalhost
            fetcher.allowedInsecureSchemes = schemes
            let result = await fetcher.result()
            #expect(result.error?.code ?? 0 == code)
            #expect(network.requests.count == (code == 0 ? 1 : 0))
            guard code == -5 else { return }
            #expect(result.data == nil)
            #expect(result.error?.domain == kGTMSessionFetcherErrorDomain)
            #expect(authorizer.count == 0)
            #expect(fetcher.authorizer == nil)
        }
    }

    @Test(
        "Names the URL of an insecure request, without the parts that can contain secrets",
        .original("GTMSessionFetcher GTMSessionFetcher.m beginFetchMayDelay"),
        arguments: ["http://api.example/a/b", "http://secret:secret@api.example/a/b?token=secret#secret"]
    )
    func insecureURL(_ url: String) async throws {
        let network = FetcherNetwork()
        try await network.run {
            let error = try await network.fetcher(url).result().error
            #expect(error?.userInfo["NSErrorFailingURLStringKey"] as? String == "http://api.example/a/b")
        }
    }

    @Test(
        "Does not permit http to other machines",
        .original("GTMSessionFetcher GTMSessionFetcher.h appAllowsInsecureRequests")
    )
    func appAllowsInsecureRequests() { #expect(!GTMSessionFetcher.appAllowsInsecureRequests()) }

    @Test(
        "Follows a redirect within the origin with the same method, body and header fields",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testRedirectFetch"),
        arguments: [301, 302, 307, 308]
    )
    func sameOrigin(_ status: Int) async throws {
        let network = FetcherNetwork(
            .redirect(to: "https://api.example:443/other?q=1", .init(code: status)),
            .redirect(to: "next", .init(code: status)),
            .text("a")
        )
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.authorizer = NumberingAuthorizer()
            fetcher.request?.httpMethod = "PUT"
            fetcher.bodyData = Data("body".utf8)
            fetcher.setRequestValue("b", forHTTPHeaderField: "X-A")
            #expect(await fetcher.result().text == "a")
            let name = try #require(HTTPField.Name("X-A"))
            #expect(network.requests.map(\.path) == ["/files", "/other", "/next"])
            #expect(network.requests.map(\.text) == ["body", "body", "body"])
            #expect(network.requests.map(\.head.method) == [.put, .put, .put])
            #expect(network.requests.map { $0.head.headerFields[name] } == ["b", "b", "b"])
            #expect(network.requests.allSatisfy { $0.authorization != nil })
            #expect(fetcher.request?.url?.path() == "/next")
            #expect(fetcher.response?.url?.path() == "/next")
        }
    }

    @Test(
        "Requests the target of a 303 response with GET",
        .original("GTMSessionFetcher GTMSessionFetcher.m willPerformHTTPRedirection"),
        arguments: [("POST", "GET"), ("HEAD", "HEAD")]
    )
    func seeOther(_ method: String, _ next: String) async throws {
        let network = FetcherNetwork(.redirect(to: "/other", .seeOther), .text("a"))
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.request?.httpMethod = method
            fetcher.bodyData = Data("body".utf8)
            fetcher.setRequestValue("text/x", forHTTPHeaderField: "Content-Type")
            #expect(await fetcher.result().error == nil)
            #expect(network.requests.map(\.head.method.rawValue) == [method, next])
            #expect(network.requests.map(\.text) == ["body", ""])
            #expect(network.requests.last?.head.headerFields[.contentType] == nil)
        }
    }

    @Test(
        "Follows a redirect to another origin without header fields that identify the user",
        .original("GTMSessionFetcher GTMSessionFetcher.m willPerformHTTPRedirection")
    )
    func otherOrigin() async throws {
        let network = FetcherNetwork(
            .redirect(to: "https://other.example/a"),
            .redirect(to: FetcherNetwork.url),
            .text("a")
        )
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.authorizer = NumberingAuthorizer()
            fetcher.setRequestValue("text/x", forHTTPHeaderField: "Accept")
            fetcher.setRequestValue("secret", forHTTPHeaderField: "X-Key")
            fetcher.setRequestValue("secret", forHTTPHeaderField: "Cookie")
            #expect(await fetcher.result().text == "a")
            #expect(network.requests.map(\.head.authority) == ["api.example", "other.example", "api.example"])
            #expect(network.requests.map(\.authorization) == ["Own 1", nil, nil])
            for request in network.requests[1...] {
                #expect(request.head.headerFields.map(\.value) == ["text/x"])
            }
        }
    }

    @Test(
        "Does not send the app's own authorization to another origin",
        .original("GTMSessionFetcher GTMSessionFetcher.m willPerformHTTPRedirection")
    )
    func ownAuthorization() async throws {
        let network = FetcherNetwork(.redirect(to: "https://api.example:8443/"), .text("a"))
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.setRequestValue("Own", forHTTPHeaderField: "Authorization")
            #expect(await fetcher.result().text == "a")
            #expect(network.requests.map(\.authorization) == ["Own", nil])
        }
    }

    @Test(
        "Does not follow a redirect that would send a body elsewhere, or that is not secure",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testFetcherRedirectURLHandling"),
        arguments: [
            ("POST", "https://other.example/"), ("GET", "http://localhost:80/"), ("GET", "http://other.example:80/"),
            ("GET", "https://user@api.example/"), ("GET", "ftp://api.example/"), ("GET", "file:///etc/hosts"),
            ("GET", "data:,a"),
        ]
    )
    func notFollowed(_ method: String, _ location: String) async throws {
        let network = FetcherNetwork(.redirect(to: location), .text("a"))
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.request?.httpMethod = method
            fetcher.allowLocalhostRequest = true
            fetcher.willRedirectBlock = { _, _, _ in Issue.record("The block was called.") }
            let result = await fetcher.result()
            #expect(result.error?.domain == kGTMSessionFetcherStatusDomain)
            #expect(result.error?.code == 302)
            #expect(result.text == "moved")
            #expect(network.requests.count == 1)
        }
    }

    @Test(
        "Requests the target of a redirect from https to http over https",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testFetcherRedirectURLHandling"),
        arguments: ["api.example", "other.example"]
    )
    func keepsScheme(_ host: String) async throws {
        let network = FetcherNetwork(.redirect(to: "http://\(host)/x"), .text("a"))
        try await network.run {
            let result = try await network.fetcher().result()
            #expect(result.text == "a")
            #expect(network.requests.last?.url == "https://\(host)/x")
        }
    }

    @Test(
        "Ends a fetch with too many redirects",
        .original("GTMSessionFetcher GTMSessionFetcher.m willPerformHTTPRedirection")
    )
    func tooMany() async throws {
        let network = FetcherNetwork { _ in .redirect(to: "/files") }
        try await network.run {
            let error = try await network.fetcher().result().error
            #expect(error?.domain == NSURLErrorDomain)
            #expect(error?.code == NSURLErrorHTTPTooManyRedirects)
            #expect(network.requests.count == 21)
        }
    }

    @Test(
        "Begins a retry with the first request, so that no token is sent to the target of a redirect",
        .original("GTMSessionFetcher GTMSessionFetcher.m retryFetch"),
        arguments: [false, true]
    )
    func retry(_ changesRequest: Bool) async throws {
        let network = FetcherNetwork {
            $0.head.authority == "api.example"
                ? .redirect(to: "https://other.example/") : .text("", .serviceUnavailable)
        }
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.authorizer = NumberingAuthorizer()
            fetcher.isRetryEnabled = true
            fetcher.minRetryInterval = 1
            fetcher.maxRetryInterval = 3
            fetcher.retryBlock = { suggestion, _, answer in
                if changesRequest { fetcher.setRequestValue("b", forHTTPHeaderField: "X-A") }
                answer(suggestion)
            }
            #expect(await fetcher.result().error?.code == 503)
            let hosts = network.requests.map { "\($0.head.authority ?? "") \($0.authorization ?? "nil")" }
            #expect(
                hosts == [
                    "api.example Own 1", "other.example nil", "api.example Own 2", "other.example nil",
                    "api.example Own 3", "other.example nil",
                ]
            )
        }
    }

    @Test(
        "Lets the app change a redirect",
        .original("GTMSessionFetcher GTMSessionFetcher.h willRedirectBlock")
    )
    func willRedirect() async throws {
        let (network, log) = (FetcherNetwork(.redirect(to: "/other"), .text("a")), FetcherLog())
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.willRedirectBlock = { response, request, answer in
                let path = response.url?.path() ?? ""
                log.add("\(response.statusCode) \(path) \(request.url?.absoluteString ?? "")")
                var changed = request
                changed.setValue("b", forHTTPHeaderField: "X-A")
                FetcherDecision { [changed] in answer(changed) }.supplyOnAnotherThread()
            }
            #expect(await fetcher.result().text == "a")
            #expect(log.entries == ["302 /files https://api.example/other"])
            let name = try #require(HTTPField.Name("X-A"))
            #expect(network.requests.last?.head.headerFields[name] == "b")
        }
    }

    @Test(
        "Ends with the redirect if the app does not follow it",
        .original("GTMSessionFetcher GTMSessionFetcher.h willRedirectBlock"),
        arguments: [false, true]
    )
    func refusedRedirect(_ answers: Bool) async throws {
        let network = FetcherNetwork(.redirect(to: "/other"), .text("a"))
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.willRedirectBlock = { _, _, answer in if answers { answer(nil) } }
            let result = await fetcher.result()
            #expect(result.error?.code == 302)
            #expect(result.text == "moved")
            #expect(network.requests.count == 1)
        }
    }

    @Test(
        "Sends no token to the origin to which the app changes a redirect, and nothing over http",
        .original("GTMSessionFetcher GTMSessionFetcher.h willRedirectBlock"),
        arguments: [("https://other.example/", 0), ("http://other.example/", -5), ("http://localhost/", -5)]
    )
    func changedOrigin(_ url: String, _ code: Int) async throws {
        let network = FetcherNetwork(.redirect(to: "/other"), .text("a"))
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.authorizer = NumberingAuthorizer()
            fetcher.willRedirectBlock = { _, request, answer in
                var changed = request
                changed.url = URL(string: url)
                answer(changed)
            }
            #expect(await fetcher.result().error?.code ?? 0 == code)
            #expect(network.requests.map(\.authorization) == (code == 0 ? ["Own 1", nil] : ["Own 1"]))
        }
    }
}
