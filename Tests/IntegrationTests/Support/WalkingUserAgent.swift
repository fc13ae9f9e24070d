// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera
internal import TesseraLocalProvider
internal import TesseraOAuth

/// A person without a browser: walks a provider's pages and hands the redirect over.
struct WalkingUserAgent: UserAgent {
    /// Nobody listens there.
    static let redirectURI = "http://127.0.0.1:9/"

    /// Goes from the authorization URL to the redirect.
    var walk: @Sendable (_ authorizationURL: String) async throws -> String

    func authorize<Value: Sendable>(
        timeout: Duration,
        responseMode: ResponseMode,
        request: @Sendable (_ redirectURI: String) async throws -> URL,
        judge: @Sendable (_ delivered: DeliveredResponse) async throws -> RedirectVerdict<Value>
    ) async throws -> Value {
        let url = try await request(Self.redirectURI)
        let redirect = try await self.walk(url.absoluteString)
        switch try await judge(.redirect(redirect)) {
        case .accepted(let value, _): return value
        case .notOurs(let reason): throw SignInError(.givenUp, detail: reason)
        }
    }
}

#if LocalProvider
extension WalkingUserAgent {
    /// A person at the local provider.
    init(walk: ConsentWalk) {
        self.init { url in try await walk.redirect(from: url) }
    }
}
#endif
