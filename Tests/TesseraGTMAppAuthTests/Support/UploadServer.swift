// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import HTTPTypes
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting

/// A server with Google's resumable upload protocol at the API of a scripted provider.
final class UploadServer: Sendable {
    /// A function that returns a custom response to a request with a number from 1, or nil for the server's own.
    typealias Script = @Sendable (_ number: Int, _ request: RecordedRequest) async throws -> ScriptedResponse?

    private struct State {
        var received: [UInt8] = []
        var isFinal = false
        var count = 0
    }

    /// The data of the original's tests.
    static let big = Data((0..<199_000).map { UInt8($0 % 251) })
    static let small = Data("Hello, world!".utf8)

    static let start = "/upload"
    static let session = "/upload/session"
    static let location = URL(string: ScriptedProvider.api + session) ?? URL(filePath: "/")

    let network: ScriptedProvider
    private let state = Mutex(State())

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - program: The app whose network contains the server.
    ///   - received: The bytes that the server has already received.
    ///   - begin: The response to the first request, or nil for an upload URL.
    ///   - script: Replaces the responses to the other requests.
    init(
        _ program: AppAuthProgram,
        received: Data = Data(),
        begin: ScriptedResponse? = nil,
        _ script: @escaping Script = { _, _ in nil }
    ) {
        self.network = program.network
        self.state.withLock { $0.received = Array(received) }
        self.network.intercept(Self.start) { _ in begin ?? .upload("active", ["URL": Self.location.absoluteString]) }
        self.network.intercept(Self.session) { request in
            let number = self.state.withLock { state in
                state.count += 1
                return state.count
            }
            return try await script(number, request) ?? self.take(request)
        }
    }

    /// The bytes that the server has received.
    var received: Data { self.state.withLock { Data($0.received) } }

    /// The first requests.
    var starts: [RecordedRequest] { self.network.requests(Self.start) }
    /// The requests to the upload's URL.
    var requests: [RecordedRequest] { self.network.requests(Self.session) }
    var commands: [String?] { self.requests.map { $0.upload("Command") } }
    /// The offsets of the requests that have one.
    var offsets: [Int] { self.requests.compactMap { $0.upload("Offset").flatMap { Int($0) } } }
    var lengths: [Int] { self.requests.map(\.body.count) }

    /// Receives the first bytes of a request, or all.
    @discardableResult
    func take(_ request: RecordedRequest, _ count: Int = .max) -> ScriptedResponse {
        self.state.withLock { state in
            let words = (request.upload("Command") ?? "").split(separator: ", ")
            if words == ["cancel"] { return .upload("cancelled") }
            if words.contains("upload") {
                guard request.upload("Offset") == "\(state.received.count)" else {
                    return .upload("active", ["Size-Received": "\(state.received.count)"], status: .badRequest)
                }
                state.received += request.body.prefix(count)
            }
            if words.contains("finalize") { state.isFinal = true }
            let fields = ["Size-Received": "\(state.received.count)"]
            return .upload(state.isFinal ? "final" : "active", fields, text: state.isFinal ? "done" : "")
        }
    }

    /// Returns a fetcher for a new upload.
    func fetcher(chunkSize: Int64 = 75_000, _ service: GTMSessionFetcherService? = nil) -> GTMSessionUploadFetcher {
        let url = URL(string: ScriptedProvider.api + Self.start) ?? URL(filePath: "/")
        return self.prepared(
            GTMSessionUploadFetcher(
                request: URLRequest(url: url),
                uploadMIMEType: "text/plain",
                chunkSize: chunkSize,
                fetcherService: service
            )
        )
    }

    /// Returns a fetcher that resumes the upload.
    func resumingFetcher(chunkSize: Int64 = 75_000) -> GTMSessionUploadFetcher {
        self.prepared(
            GTMSessionUploadFetcher(
                location: Self.location,
                uploadMIMEType: "text/plain",
                chunkSize: chunkSize,
                fetcherService: nil
            )
        )
    }

    private func prepared(_ fetcher: GTMSessionUploadFetcher) -> GTMSessionUploadFetcher {
        fetcher.callbackQueue = DispatchQueue(label: "upload")
        fetcher.uploadData = Self.big
        fetcher.minUploadRetryInterval = 1
        return fetcher
    }

    /// Waits until the fetcher waits, and lets a number of seconds pass.
    func elapse(_ seconds: Int) async {
        await self.network.clock.sleeperCount(reaches: 1)
        self.network.clock.advance(by: .seconds(seconds))
    }
}

extension ScriptedResponse {
    /// Returns a response with a status and other values of the upload protocol.
    static func upload(
        _ state: String?,
        _ values: [String: String] = [:],
        status: HTTPResponse.Status = .ok,
        text: String = ""
    ) -> ScriptedResponse {
        var head = HTTPResponse(status: status)
        for (name, value) in values.merging(state.map { ["Status": $0] } ?? [:], uniquingKeysWith: { $1 }) {
            if let name = HTTPField.Name("X-Goog-Upload-\(name)") { head.headerFields[name] = value }
        }
        return ScriptedResponse(head, body: HTTPBody(text))
    }
}

extension RecordedRequest {
    /// Returns a header field of the upload protocol.
    func upload(_ name: String) -> String? {
        HTTPField.Name("X-Goog-Upload-\(name)").flatMap { self.head.headerFields[$0] }
    }
}

/// The values that a completion handler received.
struct UploadEnd: Sendable {
    let data: Data?
    let error: (any Error)?

    var text: String? { self.data.map { String(decoding: $0, as: UTF8.self) } }
    var domain: String? { (self.error as NSError?)?.domain }
    var code: Int? { (self.error as NSError?)?.code }
}

extension GTMSessionFetcher {
    /// Returns the values that the completion handler receives.
    func end() async -> UploadEnd {
        await withCheckedContinuation { continuation in
            self.beginFetch { data, error in continuation.resume(returning: UploadEnd(data: data, error: error)) }
        }
    }

    /// Returns when the callback queue has called all closures that it contains.
    func drainCallbacks() async {
        await withCheckedContinuation { continuation in self.callbackQueue.async { continuation.resume() } }
    }
}

/// Texts in the order in which they were added.
final class UploadLog: Sendable {
    private let texts = Mutex([String]())

    var all: [String] { self.texts.withLock { $0 } }

    func add(_ text: String) { self.texts.withLock { $0.append(text) } }
}

/// A reference that does not retain its object.
struct WeakReference {
    weak var object: AnyObject?

    /// Waits until the object has been released.
    var isReleased: Bool {
        get async {
            while self.object != nil, !Task.isCancelled { await Task.yield() }
            return self.object == nil
        }
    }
}
