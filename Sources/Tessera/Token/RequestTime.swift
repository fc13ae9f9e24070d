// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraOAuth

/// The time just before a token request was sent.
///
/// The age of the tokens in the response is measured by the uptime, because the wall clock may be set back while the
/// response is awaited.
struct RequestTime: Sendable {
    /// The time by the wall clock.
    let date: Date
    private let uptime: Int64

    /// Creates the current time.
    init(_ runtime: OAuthRuntime) { (self.date, self.uptime) = (runtime.now(), runtime.uptime()) }

    /// Returns the current time as if the wall clock had not been set since the request was sent.
    func now(_ runtime: OAuthRuntime) -> Date {
        self.date.addingTimeInterval(Double(runtime.uptime() - self.uptime) / 1_000_000_000)
    }
}
