// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
public import TesseraOAuth

/// What every `HTTPTransport` promises, as checks that run against servers on this machine.
///
/// It needs no testing library; with Swift Testing a suite is three lines:
/// ```swift
/// @Test("My transport keeps the contract", arguments: HTTPTransportContract.checks)
/// func contract(check: HTTPTransportContract.Check) async throws {
///     try await HTTPTransportContract { MyTransport(permitting: $0, timeouts: $1) }.verify(check)
/// }
/// ```
public struct HTTPTransportContract: Sendable {
    /// Makes the transport under test.
    public typealias MakeTransport = @Sendable (Insecure, TransportTimeouts) -> any HTTPTransport

    /// One promise.
    public struct Check: Sendable, CustomStringConvertible {
        /// The promise as a sentence.
        public let description: String
        let run: @Sendable (HTTPTransportContract) async throws -> Void

        init(_ description: String, run: @escaping @Sendable (HTTPTransportContract) async throws -> Void) {
            self.description = description
            self.run = run
        }
    }

    /// All promises that need no certificate; for those see ``refusesCertificate(of:)``.
    public static let checks: [Check] =
        Self.redirects + Self.privacy + Self.security + Self.messages + Self.bodies + Self.failures

    let makeTransport: MakeTransport

    /// The contract for the transports that `makeTransport` makes.
    public init(_ makeTransport: @escaping MakeTransport) { self.makeTransport = makeTransport }

    /// Runs one check.
    ///
    /// - Throws: ``ContractError`` when the promise is not kept, or what the transport threw against it.
    public func verify(_ check: Check) async throws { try await check.run(self) }

    /// Runs all checks, one after the other.
    ///
    /// - Throws: as ``verify(_:)``, at the first promise that is not kept.
    public func verifyAll() async throws {
        for check in Self.checks { try await self.verify(check) }
    }

    /// Checks that the https server at `authority`, whose certificate nobody should accept, is refused.
    ///
    /// - Throws: ``ContractError`` when anything but `TransportError` `tls` comes of it.
    public func refusesCertificate(of authority: String) async throws {
        let transport = self.makeTransport(.loopbackHTTP, TransportTimeouts())
        try await Self.expect(.tls, "a certificate that must not be accepted") {
            try await transport.send(.init(method: .get, scheme: "https", authority: authority, path: "/"), body: nil)
        }
    }

    func loopbackTransport(timeouts: TransportTimeouts = TransportTimeouts()) -> any HTTPTransport {
        self.makeTransport(.loopbackHTTP, timeouts)
    }

    static func expect<Value>(
        _ code: TransportError.Code,
        _ situation: String,
        of body: () async throws -> Value
    ) async throws {
        do {
            _ = try await body()
        } catch let error as TransportError {
            try ContractError.require(error.code == code, "\(situation): expected \(code), got \(error.code)")
            return
        } catch {
            throw ContractError("\(situation): expected TransportError \(code), got \(type(of: error)): \(error)")
        }
        throw ContractError("\(situation): expected \(code), but nothing was thrown")
    }
}
