// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraOAuth

#if canImport(FoundationNetworking)
internal import Foundation
internal import FoundationNetworking
#else
internal import Foundation
#endif

/// The network through `URLSession`: the transport for Apple's systems, with their trust store, proxies and VPNs.
///
/// The session is ephemeral: no cookies, no cache, no stored credentials, and its delegate refuses redirects. It has
/// no timeout of its own for connecting: silence of any kind counts against `TransportTimeouts.idle`, in whole seconds
/// with swift-corelibs-foundation. Repeated header fields arrive joined with commas.
///
/// **Disk space.** A streamed request body is first copied to a temporary file, so that the request has a length and
/// the system can send it again on another connection. The file is in `FileManager.temporaryDirectory`, as large as the
/// body, readable by the user alone and not part of backups. It is removed when the response's head arrives or the
/// request fails; if the process ends before, the system removes it some day. Memory use does not depend on the body's
/// length. A resumable upload of a file sends the whole file in one request unless the upload has a piece size: with a
/// piece size of 8 MiB, it needs 8 MiB of disk space. Upload progress counts the bytes that were copied. A body made of
/// bytes needs no file.
///
/// **Background.** There is no background session (`URLSessionConfiguration.background`). Transfers stop when the app is
/// suspended or ends, and fail with `TransportError` `connectionLost` or `timedOut` when it continues. Resumable uploads
/// and downloads then continue from the last byte that arrived; everything else starts from the beginning. To finish a
/// short transfer while the app goes to the background, call it within
/// `ProcessInfo.performExpiringActivity(withReason:using:)`.
///
/// On Linux use `CurlTransport`. There `URLSession` is swift-corelibs-foundation's, which is many
/// times slower and stops the whole process when a server closes the connection in the middle of a response's head.
public final class URLSessionTransport: HTTPTransport {
    /// A transport for the whole process, with the defaults.
    public static let shared = URLSessionTransport()

    private let insecure: Insecure
    private let exchanges = Exchanges()
    private let session: URLSession

    /// A transport with connections of its own, closed when the last exchange of a released transport ends.
    ///
    /// - Parameters:
    ///   - insecure: What is permitted beyond https.
    ///   - timeouts: How long to wait for the network.
    public init(permitting insecure: Insecure = [], timeouts: TransportTimeouts = TransportTimeouts()) {
        self.insecure = insecure
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCredentialStorage = nil
        configuration.httpMaximumConnectionsPerHost = 128
        configuration.timeoutIntervalForRequest = max(1, timeouts.idle / .seconds(1))
        self.session = URLSession(configuration: configuration, delegate: self.exchanges, delegateQueue: nil)
    }

    deinit { self.session.finishTasksAndInvalidate() }

    /// Sends `request` and returns as soon as the response's head is there; the body can be read once.
    ///
    /// - Throws: `TransportError`, `CancellationError`, and what the request's body throws, unchanged. `CocoaError` if a
    ///   streamed body cannot be copied to a temporary file, `fileWriteOutOfSpace` if the disk is full.
    public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let target = try RequestTarget(request, permitting: self.insecure)
        try Task.checkCancellation()
        let urlRequest = try URLRequest(request, target: target)
        let upload = try await UploadFile(body)
        defer { upload?.remove() }
        let task =
            if let upload {
                self.session.uploadTask(with: urlRequest, fromFile: upload.url)
            } else if let bytes = body?.bytes, !bytes.isEmpty {
                self.session.uploadTask(with: urlRequest, from: Data(bytes))
            } else {
                self.session.dataTask(with: urlRequest)
            }
        let exchange = Exchange(task, host: target.origin.host)
        self.exchanges.add(exchange)
        let response = try await exchange.head()
        return (
            try HTTPResponse(response, host: target.origin.host), HTTPBody(response, of: exchange, to: request.method)
        )
    }
}
