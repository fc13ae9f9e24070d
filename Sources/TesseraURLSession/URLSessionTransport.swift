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

/// A transport for Apple platforms that uses `URLSession`, with the system's trust store, proxies and VPNs.
///
/// The session is ephemeral, without cookies, a cache or stored credentials, and its delegate rejects redirects. There
/// is no separate connection timeout. `TransportTimeouts.idle` applies to any inactivity and, with
/// swift-corelibs-foundation, is measured in whole seconds. Repeated header fields are joined with commas.
///
/// **Disk space.** A streamed request body is first copied to a temporary file, so that the request has a length and
/// the system can send it again on another connection. The file is stored in `FileManager.temporaryDirectory` and is as
/// large as the body. Only the user can read it, and it is excluded from backups. It is removed when the head of the
/// response arrives or the request fails. If the process ends earlier, the system removes it later. Memory use does not
/// depend on the length of the body. A resumable upload sends the whole file in a single request unless you specify a
/// piece size. With a piece size of 8 MiB, it needs 8 MiB of disk space. Upload progress counts bytes as they are
/// copied. A body that was created from bytes does not need a file.
///
/// **Background.** Background sessions (`URLSessionConfiguration.background`) are not supported. Transfers stop when
/// the app is suspended or terminated, and fail with the `TransportError` code `connectionLost` or `timedOut` when it
/// resumes. Resumable uploads and downloads then continue after the last byte that arrived. All other transfers start
/// over. To complete a short transfer while the app is entering the background, use
/// `ProcessInfo.performExpiringActivity(withReason:using:)`.
///
/// On Linux, use `CurlTransport`. The `URLSession` of swift-corelibs-foundation is many times slower, and it terminates
/// the process if a server closes the connection while sending a response head.
public final class URLSessionTransport: HTTPTransport {
    /// A shared transport with the default settings.
    public static let shared = URLSessionTransport()

    private let insecure: Insecure
    private let exchanges = Exchanges()
    private let session: URLSession

    /// Creates a transport with its own connections, which are closed after it has been released and its last exchange
    /// has ended.
    ///
    /// - Parameters:
    ///   - insecure: The permitted exceptions to https.
    ///   - timeouts: The network timeouts.
    public init(insecure: Insecure = [], timeouts: TransportTimeouts = TransportTimeouts()) {
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

    /// Sends a request and returns when the response head has arrived.
    ///
    /// The body can be read once.
    ///
    /// - Throws: `TransportError`, `CancellationError`, any error that the request's body throws, unchanged, or
    ///   `CocoaError` if a streamed body cannot be copied to a temporary file (`fileWriteOutOfSpace` if the disk is
    ///   full).
    public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let target = try RequestTarget(request, insecure: self.insecure)
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
