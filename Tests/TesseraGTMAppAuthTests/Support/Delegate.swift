// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import TesseraGTMAppAuth

/// A delegate that counts calls and responds as configured.
final class Delegate: AuthSessionDelegate {
    enum Update: Sendable {
        case replace, save, forget
    }

    private let parameters: [String: String]?
    private let update: Update
    private let count = Mutex(0)

    init(parameters: [String: String]? = nil, update: Update = .save) {
        self.parameters = parameters
        self.update = update
    }

    var callCount: Int { self.count.withLock { $0 } }

    func additionalTokenRefreshParameters(forAuthSession authSession: AuthSession) -> [String: String]? {
        self.count.withLock { $0 += 1 }
        return self.parameters
    }

    func updateError(
        forAuthSession authSession: AuthSession,
        originalError: any Error,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        switch self.update {
        case .replace: completion(NSError(domain: "replaced", code: 1))
        case .save: completion(nil)
        case .forget: break
        }
    }
}

/// A delegate that implements no optional method.
final class SilentDelegate: AuthSessionDelegate {}

/// The calls of completion handlers, in order.
final class Ends: Sendable {
    private let stream = AsyncStream.makeStream(of: String.self)

    func add(_ name: String, _ error: (any Error)?) {
        self.stream.continuation.yield("\(name) \((error as NSError?)?.code ?? 0)")
    }

    func next() async -> String? { await self.stream.stream.first { _ in true } }
}

/// Suspends waiting tasks until it is opened.
final class Gate: Sendable {
    private let stream = AsyncStream.makeStream(of: Void.self)

    func wait() async { for await _ in self.stream.stream {} }
    func open() { self.stream.continuation.finish() }
}
