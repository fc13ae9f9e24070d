// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import TestTraits
internal import TesseraGTMAppAuth
internal import Testing

@Suite("Properties of a fetcher")
struct FetcherPropertiesOriginalTests {
    @Test("Has the constants' values", .original("GTMSessionFetcher GTMSessionFetcher.h"))
    func constants() {
        #expect(kGTMSessionFetcherStatusDomain == "com.google.HTTPStatus")
        #expect(kGTMSessionFetcherErrorDomain == "com.google.GTMSessionFetcher")
        #expect(kGTMSessionFetcherStatusDataKey == "data")
        #expect(kGTMSessionFetcherStatusDataContentTypeKey == "data_content_type")
        #expect(kGTMSessionFetcherCompletionDataKey == "data")
        #expect(kGTMSessionFetcherCompletionErrorKey == "error")
        let errors: [GTMSessionFetcherError] = [
            .downloadFailed, .uploadChunkUnavailable, .backgroundExpiration, .backgroundFetchFailed, .insecureRequest,
            .taskCreationFailed, .userCancelled,
        ]
        #expect(errors.map(\.rawValue) == [-1, -2, -3, -4, -5, -6, -7])
        let statuses: [GTMSessionFetcherStatus] = [
            .notModified, .badRequest, .unauthorized, .forbidden, .preconditionFailed,
        ]
        #expect(statuses.map(\.rawValue) == [304, 400, 401, 403, 412])
    }

    @Test(
        "Is created for a request, a URL or a string",
        .original("GTMSessionFetcher GTMSessionFetcher.h fetcherWithURL")
    )
    func initializers() throws {
        let url = try #require(URL(string: FetcherNetwork.url))
        let request = URLRequest(url: url)
        let configuration = URLSessionConfiguration.ephemeral
        let configured = GTMSessionFetcher(request: request, configuration: configuration)
        #expect(configured.configuration === configuration)
        for fetcher in [configured, .init(request: request), .init(url: url), .init(urlString: FetcherNetwork.url)] {
            #expect(fetcher.request?.url == url)
            #expect(fetcher.request?.httpMethod == "GET")
            #expect(fetcher.service == nil)
            #expect(fetcher.authorizer == nil)
        }
        #expect(GTMSessionFetcher().request == nil)
    }

    @Test(
        "Sets and removes header fields of the request",
        .original("GTMSessionFetcher GTMSessionFetcher.h setRequestValue")
    )
    func request() throws {
        let fetcher = GTMSessionFetcher()
        fetcher.setRequestValue("a", forHTTPHeaderField: "X-A")
        #expect(fetcher.request == nil)
        var request = URLRequest(url: try #require(URL(string: FetcherNetwork.url)))
        request.httpMethod = "PUT"
        fetcher.request = request
        fetcher.setRequestValue("a", forHTTPHeaderField: "X-A")
        #expect(fetcher.request?.httpMethod == "PUT")
        #expect(fetcher.request?.value(forHTTPHeaderField: "x-a") == "a")
        fetcher.setRequestValue(nil, forHTTPHeaderField: "X-A")
        #expect(fetcher.request?.value(forHTTPHeaderField: "X-A") == nil)
    }

    @Test(
        "Keeps the app's own values",
        .original("GTMSessionFetcher GTMSessionFetcher.h userData")
    )
    func values() {
        let fetcher = GTMSessionFetcher()
        #expect(fetcher.comment == nil)
        #expect(fetcher.log == nil)
        #expect(fetcher.userData == nil)
        #expect(fetcher.taskDescription == nil)
        let object = NSObject()
        fetcher.comment = "comment"
        fetcher.log = "log"
        fetcher.userData = object
        fetcher.taskDescription = "description"
        fetcher.taskPriority = 0.75
        #expect(fetcher.comment == "comment")
        #expect(fetcher.log == "log")
        #expect(fetcher.userData as? NSObject === object)
        #expect(fetcher.taskDescription == "description")
        #expect(fetcher.taskPriority == 0.75)
    }

    @Test("Keeps the app's properties", .original("GTMSessionFetcher GTMSessionFetcher.h properties"))
    func properties() {
        let fetcher = GTMSessionFetcher()
        fetcher.setProperty(nil, forKey: "a")
        #expect(fetcher.properties == nil)
        #expect(fetcher.property(forKey: "a") == nil)
        fetcher.setProperty(1, forKey: "a")
        fetcher.addProperties(from: ["a": 2, "b": "text"])
        #expect(fetcher.property(forKey: "a") as? Int == 2)
        #expect(fetcher.property(forKey: "b") as? String == "text")
        fetcher.setProperty(nil, forKey: "a")
        #expect(fetcher.properties?.keys.sorted() == ["b"])
        fetcher.properties = nil
        fetcher.addProperties(from: ["c": 3])
        #expect(fetcher.properties as? [String: Int] == ["c": 3])
    }

    @Test("Does not log, because requests contain tokens", .original("GTMSessionFetcher GTMSessionFetcherLogging.h"))
    func logging() {
        GTMSessionFetcher.setLoggingEnabled(true)
        #expect(!GTMSessionFetcher.isLoggingEnabled())
    }

    #if canImport(ObjectiveC)
    @Test("Reads a stream to its end", .original("GTMSessionFetcher GTMSessionFetcher.h GTMDataFromInputStream"))
    func stream() throws {
        let data = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        var error: NSError?
        #expect(GTMDataFromInputStream(InputStream(data: data), &error) == data)
        #expect(error == nil)
        let missing = try #require(InputStream(fileAtPath: "/nonexistent/\(UUID().uuidString)"))
        #expect(GTMDataFromInputStream(missing, &error) == nil)
        #expect(error != nil)
    }
    #endif
}
