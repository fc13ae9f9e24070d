// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The session's delegate: refuses redirects, and hands what arrives to the exchange that it belongs to.
final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
    private let running = Mutex<[Int: Exchange]>([:])

    func add(_ exchange: Exchange) {
        self.running.withLock { $0[exchange.task.taskIdentifier] = exchange }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        self.exchange(of: dataTask)?.received(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        self.exchange(of: dataTask)?.received([UInt8](data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        self.running.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.ended(error)
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        self.running.withLock { $0[task.taskIdentifier] }
    }
}
