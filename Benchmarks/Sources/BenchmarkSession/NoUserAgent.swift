// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import Tessera
public import TesseraOAuth

/// Nobody signs in during a measurement.
public struct NoUserAgent: UserAgent {
    /// Nobody.
    public init() {}

    /// Throws `CancellationError`.
    public func authorize<Value: Sendable>(
        timeout: Duration,
        responseMode: ResponseMode,
        request: @Sendable (_ redirectURI: String) async throws -> URL,
        judge: @Sendable (_ delivered: DeliveredResponse) async throws -> RedirectVerdict<Value>
    ) async throws -> Value {
        throw CancellationError()
    }
}
