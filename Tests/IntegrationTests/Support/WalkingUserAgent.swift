// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera
internal import TesseraLocalProvider

/// A person without a browser: walks the local provider's pages and hands the redirect over.
struct WalkingUserAgent: UserAgent {
    var walk: ConsentWalk

    func authorize<Value: Sendable>(
        timeout: Duration,
        request: @Sendable (_ redirectURI: String) async throws -> URL,
        judge: @Sendable (_ redirect: String) async throws -> RedirectVerdict<Value>
    ) async throws -> Value {
        let url = try await request("http://127.0.0.1:9/")
        let redirect = try await self.walk.redirect(from: url.absoluteString)
        switch try await judge(redirect) {
        case .accepted(let value, _): return value
        case .notOurs(let reason): throw SignInError(.givenUp, detail: reason)
        }
    }
}
#endif
