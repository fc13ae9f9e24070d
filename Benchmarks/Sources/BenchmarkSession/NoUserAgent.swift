// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
public import TesseraOAuth

/// Nobody signs in during a measurement.
public struct NoUserAgent: UserAgent {
    /// Nobody.
    public init() {}

    /// Throws `CancellationError`.
    public func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver {
        throw CancellationError()
    }
}
