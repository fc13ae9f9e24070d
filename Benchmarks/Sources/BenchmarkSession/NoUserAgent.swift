// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera

/// Nobody signs in during a measurement.
struct NoUserAgent: UserAgent {
    func authorize<Value: Sendable>(
        timeout: Duration,
        request: @Sendable (_ redirectURI: String) async throws -> URL,
        judge: @Sendable (_ redirect: String) async throws -> RedirectVerdict<Value>
    ) async throws -> Value {
        throw CancellationError()
    }
}
