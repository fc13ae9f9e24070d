// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera
internal import TesseraOAuth

/// Nobody signs in during a measurement.
struct NoUserAgent: UserAgent {
    func authorize<Value: Sendable>(
        timeout: Duration,
        responseMode: ResponseMode,
        request: @Sendable (_ redirectURI: String) async throws -> URL,
        judge: @Sendable (_ delivered: DeliveredResponse) async throws -> RedirectVerdict<Value>
    ) async throws -> Value {
        throw CancellationError()
    }
}
