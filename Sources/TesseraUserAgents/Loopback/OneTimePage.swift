// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import TesseraSupport

/// A page of a listener that leads the browser to an address once.
///
/// Its path is random, and it is gone after the first request for it.
final class OneTimePage: Sendable {
    private let offered = Mutex<(path: String, target: String)?>(nil)
    private let taken: @Sendable () -> Void

    /// - Parameter taken: Called when the page has been requested.
    init(taken: @escaping @Sendable () -> Void = {}) { self.taken = taken }

    /// Offers the page under a new path, which replaces an earlier one.
    func offer(_ target: String) -> String {
        var generator = SystemRandomNumberGenerator()
        let path = "/" + (0..<2).map { _ in Self.hexadecimal(generator.next()) }.joined()
        self.offered.withLock { $0 = (path, target) }
        return path
    }

    /// Withdraws the page.
    func withdraw() { self.offered.withLock { $0 = nil } }

    /// The response to a request for the page; nil for every other request.
    func response(to request: LoopbackRequest) -> LoopbackResponse? {
        guard request.method == "GET" else { return nil }
        let target = self.offered.withLock { offered -> String? in
            guard let current = offered, current.path == request.target else { return nil }
            offered = nil
            return current.target
        }
        guard let target else { return nil }
        self.taken()
        return LaunchPage(target: target).redirect
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
