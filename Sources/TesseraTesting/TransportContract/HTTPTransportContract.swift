// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
public import TesseraOAuth

/// The requirements that every `HTTPTransport` must meet, as checks that run against servers on this machine.
///
/// The contract does not depend on a testing library. With Swift Testing, a test takes only a few lines:
/// ```swift
/// @Test("The transport satisfies the contract", arguments: HTTPTransportContract.checks)
/// func contract(check: HTTPTransportContract.Check) async throws {
///     try await HTTPTransportContract { MyTransport(insecure: $0, timeouts: $1) }.verify(check)
/// }
/// ```
public struct HTTPTransportContract: Sendable {
    /// A function that creates the transport under test.
    public typealias MakeTransport = @Sendable (Insecure, TransportTimeouts) -> any HTTPTransport

    /// A requirement and its check.
    public struct Check: Sendable, CustomStringConvertible {
        /// The requirement as a sentence.
        public let description: String
        let run: @Sendable (HTTPTransportContract) async throws -> Void

        init(_ description: String, run: @escaping @Sendable (HTTPTransportContract) async throws -> Void) {
            self.description = description
            self.run = run
        }
    }

    /// All requirements that can be checked without a certificate.
    ///
    /// Use ``refusesCertificate(of:)`` to verify the handling of certificates.
    public static let checks: [Check] =
        Self.redirects + Self.privacy + Self.security + Self.messages + Self.bodies + Self.failures

    let makeTransport: MakeTransport

    /// Creates a contract for the transports that `makeTransport` returns.
    public init(_ makeTransport: @escaping MakeTransport) { self.makeTransport = makeTransport }

    /// Runs one check.
    ///
    /// - Throws: ``ContractError`` if the transport violates the requirement, or any unexpected error that it throws.
    public func verify(_ check: Check) async throws { try await check.run(self) }

    /// Runs all checks, one after the other.
    ///
    /// - Throws: The error that ``verify(_:)`` throws for the first requirement that is violated.
    public func verifyAll() async throws {
        for check in Self.checks { try await self.verify(check) }
    }

    /// Verifies that the transport rejects the certificate of the https server at `authority`.
    ///
    /// - Throws: ``ContractError`` if the result is anything other than a `TransportError` with the code `tls`.
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
            try ContractError.require(error.code == code, "Expected \(code) for \(situation), got \(error.code).")
            return
        } catch {
            throw ContractError("Expected TransportError \(code) for \(situation), got \(type(of: error)): \(error).")
        }
        throw ContractError("Expected \(code) for \(situation), but no error was thrown.")
    }
}
