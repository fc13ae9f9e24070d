// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
public import TesseraOAuth

/// A user agent that always fails, because no user signs in during a benchmark.
public struct NoUserAgent: UserAgent {
    /// Creates the user agent.
    public init() {}

    /// Throws `CancellationError`.
    public func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver {
        throw CancellationError()
    }
}
