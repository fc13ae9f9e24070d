// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What watches the exchanges with servers: a tracer, a counter, a log.
///
/// One observer may be asked by any number of tasks at once.
public protocol ExchangeObserver: Sendable {
    /// Runs `work` once, and gives back what it returns or throws.
    ///
    /// - Parameters:
    ///   - exchange: what is asked.
    ///   - work: sends the request and judges the answer, up to the second try that a DPoP nonce demands.
    /// - Returns: what `work` returns.
    /// - Throws: what `work` throws.
    func observe<Value: Sendable>(_ exchange: OAuthExchange, _ work: ExchangeWork<Value>) async throws -> Value
}

/// An exchange with a server, which an ``ExchangeObserver`` runs by calling it like a function.
///
/// It is a type of its own because the type of an asynchronous closure depends on the compiler settings of the module
/// that names it.
public struct ExchangeWork<Value: Sendable>: Sendable {
    private let run: @Sendable () async throws -> Value

    init(_ run: @escaping @Sendable () async throws -> Value) { self.run = run }

    /// Runs the exchange.
    public func callAsFunction() async throws -> Value { try await self.run() }
}

extension OAuthRuntime {
    /// Runs an exchange as ``observer`` wants to see it, and alone where there is none.
    ///
    /// Every request of this library comes through here; so may those of others. Calls of an API do not.
    ///
    /// - Throws: what `work` throws.
    public func observed<Value: Sendable>(
        _ exchange: OAuthExchange,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let observer = self.observer else { return try await work() }
        return try await observer.observe(exchange, ExchangeWork(work))
    }
}
