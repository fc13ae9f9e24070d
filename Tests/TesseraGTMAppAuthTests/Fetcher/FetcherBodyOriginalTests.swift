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

@Suite("Request bodies of a fetcher", .timeLimit(.minutes(1)))
struct FetcherBodyOriginalTests {
    private static let large = Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0) })

    @Test(
        "Sends bodyData, with POST in place of GET",
        .original("GTMSessionFetcher GTMSessionFetcher.h bodyData"),
        arguments: [("GET", "POST"), ("PUT", "PUT"), ("DELETE", "DELETE")]
    )
    func data(_ method: String, _ sent: String) async throws {
        let network = FetcherNetwork(.text())
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.request?.httpMethod = method
            fetcher.bodyData = Data("abc".utf8)
            #expect(fetcher.request?.httpMethod == method)
            #expect(fetcher.bodyLength == 3)
            _ = await fetcher.result()
            #expect(fetcher.request?.httpMethod == sent)
            #expect(network.requests.map(\.head.method.rawValue) == [sent])
            #expect(network.requests.map(\.text) == ["abc"])
        }
    }

    @Test(
        "Keeps GET without a body, or with a method in X-HTTP-Method-Override",
        .original("GTMSessionFetcher GTMSessionFetcher.m beginFetchMayDelay"),
        arguments: [false, true]
    )
    func get(_ isOverridden: Bool) async throws {
        let network = FetcherNetwork(.text())
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.bodyData = Data("abc".utf8)
            if isOverridden {
                fetcher.setRequestValue("PATCH", forHTTPHeaderField: "X-HTTP-Method-Override")
            } else {
                fetcher.bodyData = nil
            }
            _ = await fetcher.result()
            #expect(network.requests.map(\.head.method) == [.get])
            #expect(network.requests.map(\.text) == [isOverridden ? "abc" : ""])
        }
    }

    @Test(
        "Sends the body of the request, which is not bodyData",
        .original("GTMSessionFetcher GTMSessionFetcher.h bodyData")
    )
    func requestBody() async throws {
        let network = FetcherNetwork(.text(), .text())
        try await network.run {
            for data in [nil, Data("own".utf8)] {
                let fetcher = try network.fetcher()
                fetcher.request?.httpMethod = "POST"
                fetcher.request?.httpBody = Data("request".utf8)
                #expect(fetcher.bodyData == nil)
                #expect(fetcher.bodyLength == 7)
                fetcher.bodyData = data
                _ = await fetcher.result()
            }
            #expect(network.requests.map(\.text) == ["request", "own"])
        }
    }

    @Test(
        "Sends the stream of the request",
        .original("GTMSessionFetcher GTMSessionFetcherFetchingTest.testHTTPBodyStreamFetch"),
        arguments: ["GET", "POST"]
    )
    func requestStream(_ method: String) async throws {
        let network = FetcherNetwork(.text())
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.request?.httpMethod = method
            fetcher.request?.httpBodyStream = InputStream(data: Self.large)
            #expect(fetcher.bodyLength == -1)
            _ = await fetcher.result()
            #expect(network.requests.map(\.head.method) == [.post])
            #expect(network.requests.map(\.body) == [Array(Self.large)])
        }
    }

    @Test(
        "Does not repeat a request whose stream has been read",
        .original("GTMSessionFetcher GTMSessionFetcher.h bodyStreamProvider")
    )
    func readStream() async throws {
        let network = FetcherNetwork { request in
            request.path == "/moved" ? .redirect(to: "/files", .temporaryRedirect) : .text("", .serviceUnavailable)
        }
        try await network.run {
            for (url, status) in [(FetcherNetwork.url, 503), ("https://api.example/moved", 307)] {
                let fetcher = try network.fetcher(url)
                fetcher.request?.httpBodyStream = InputStream(data: Data("abc".utf8))
                fetcher.isRetryEnabled = true
                #expect(await fetcher.result().error?.code == status)
                // The second fetch has no unread stream.
                #expect(await fetcher.result().error?.code == GTMSessionFetcherError.downloadFailed.rawValue)
            }
            #expect(network.requests.map(\.text) == ["abc", "abc"])
        }
    }

    @Test("Sends a file", .original("GTMSessionFetcher GTMSessionFetcher.h bodyFileURL"))
    func file() async throws {
        let network = FetcherNetwork(.text())
        try await FetcherFolder.run { folder in
            let file = folder.appending(component: "body")
            try Self.large.write(to: file)
            try await network.run {
                let fetcher = try network.fetcher()
                fetcher.bodyFileURL = file
                #expect(fetcher.bodyLength == 1 << 20)
                _ = await fetcher.result()
                #expect(network.requests.map(\.head.method) == [.post])
                #expect(network.requests.map(\.body) == [Array(Self.large)])
            }
        }
    }

    @Test(
        "Sends nothing if the file cannot be read",
        .original("GTMSessionFetcher GTMSessionFetcher.h bodyFileURL")
    )
    func missingFile() async throws {
        let network = FetcherNetwork(.text())
        try await FetcherFolder.run { folder in
            try await network.run {
                let fetcher = try network.fetcher()
                fetcher.isRetryEnabled = true
                fetcher.retryBlock = { _, _, answer in answer(true) }
                fetcher.bodyFileURL = folder.appending(component: "missing")
                let notifications = FetcherNotifications(fetcher)
                let result = await fetcher.result()
                #expect(result.data == nil)
                #expect(result.error?.domain == NSCocoaErrorDomain)
                #expect(result.error?.code == CocoaError.Code.fileReadNoSuchFile.rawValue)
                #expect(network.requests.isEmpty)
                await notifications.log.count(reaches: 1)
                #expect(notifications.log.entries == ["invoked 260"])
            }
        }
    }

    @Test(
        "Asks the provider of a stream each time the body is sent",
        .original("GTMSessionFetcher GTMSessionFetcher.h bodyStreamProvider")
    )
    func streamProvider() async throws {
        let count = Mutex(0)
        let network = FetcherNetwork(.text("", .serviceUnavailable), .redirect(to: "/other"), .text("a"))
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.isRetryEnabled = true
            fetcher.bodyStreamProvider = { take in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                take(InputStream(data: Data("body \(number)".utf8)))
            }
            #expect(fetcher.bodyLength == -1)
            #expect(await fetcher.result().text == "a")
            #expect(network.requests.map(\.path) == ["/files", "/files", "/other"])
            #expect(network.requests.map(\.head.method) == [.post, .post, .post])
            #expect(network.requests.map(\.text) == ["body 1", "body 2", "body 3"])
        }
    }

    @Test(
        "Reports a provider that supplies no stream",
        .original("GTMSessionFetcher GTMSessionFetcher.h bodyStreamProvider")
    )
    func missingStream() async throws {
        let network = FetcherNetwork(.text())
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.bodyStreamProvider = { _ in }
            let error = await fetcher.result().error
            #expect(error?.domain == kGTMSessionFetcherErrorDomain)
            #expect(error?.code == GTMSessionFetcherError.downloadFailed.rawValue)
            #expect(network.requests.isEmpty)
        }
    }

    @Test("Sends the whole body with each retry", .original("GTMSessionFetcher GTMSessionFetcher.h isRetryEnabled"))
    func retries() async throws {
        let network = FetcherNetwork(.text("", .badGateway), .text("", .gatewayTimeout), .text("a"))
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.isRetryEnabled = true
            fetcher.bodyData = Data("abc".utf8)
            #expect(await fetcher.result().text == "a")
            #expect(network.requests.map(\.text) == ["abc", "abc", "abc"])
            #expect(network.requests.map(\.head.method) == [.post, .post, .post])
        }
    }

    @Test(
        "Reports the progress of sending the body",
        .original("GTMSessionFetcher GTMSessionFetcher.h sendProgressBlock"),
        arguments: [false, true]
    )
    func progress(_ isStream: Bool) async throws {
        let network = FetcherNetwork(.text())
        let calls = Mutex<[[Int64]]>([])
        try await network.run {
            let fetcher = try network.fetcher()
            if isStream {
                fetcher.bodyStreamProvider = { $0(InputStream(data: Self.large)) }
            } else {
                fetcher.bodyData = Self.large
            }
            fetcher.sendProgressBlock = { count, total, expected in
                calls.withLock { $0.append([count, total, expected]) }
            }
            _ = await fetcher.result()
            let calls = calls.withLock { $0 }
            #expect(calls.map { $0[0] }.reduce(0, +) == 1 << 20)
            #expect(calls.map { $0[1] } == calls.map { $0[1] }.sorted())
            #expect(calls.last?[1] == 1 << 20)
            #expect(calls.allSatisfy { $0[2] == (isStream ? -1 : 1 << 20) })
            #expect(isStream ? calls.count > 1 : calls.count == 1)
        }
    }

    @Test(
        "Leaves the length of the body to the transport",
        .original("GTMSessionFetcher GTMSessionFetcher.h request")
    )
    func length() async throws {
        let network = FetcherNetwork(.text())
        try await network.run {
            let fetcher = try network.fetcher()
            fetcher.setRequestValue("999", forHTTPHeaderField: "Content-Length")
            _ = await fetcher.result()
            #expect(network.requests.map { $0.head.headerFields[.contentLength] } == [nil])
        }
    }
}
