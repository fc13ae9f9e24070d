// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import Synchronization
public import Tessera
internal import TesseraOAuth

/// A browser and a person in one, who do what a script says: no window, no socket, no time.
public final class ScriptedUserAgent: UserAgent {
    /// The redirects that arrive after an authorization URL was shown, in this order.
    public typealias Script = @Sendable (_ authorizationURL: String) async throws -> [String]

    /// Where redirects are received.
    public static let redirectURI = "http://127.0.0.1:49152/"

    private struct Seen: Sendable {
        var urls: [String] = []
        var reasons: [String] = []
        var pages: [CompletionPage] = []
    }

    private let script: Script
    private let seen = Mutex(Seen())

    /// A person who follows a script; when it has no more redirects, the sign-in times out.
    public init(_ script: @escaping Script) { self.script = script }

    /// Every authorization URL that was shown.
    public var authorizationURLs: [String] { self.seen.withLock { $0.urls } }
    /// Why redirects were not taken.
    public var reasons: [String] { self.seen.withLock { $0.reasons } }
    /// The last pages that were shown.
    public var pages: [CompletionPage] { self.seen.withLock { $0.pages } }

    /// The parameters of the authorization URL that was shown last.
    public var parameters: [FormParameter] {
        FormParameter.parse(String((self.authorizationURLs.last ?? "").drop { $0 != "?" }.dropFirst()))
    }

    /// The value of a parameter of the authorization URL that was shown last; nil when it is absent.
    public func parameter(_ name: String) -> String? { self.parameters.first { $0.name == name }?.value }

    /// Shows the page to the script and hands its redirects to `judge`.
    public func authorize<Value: Sendable>(
        timeout: Duration,
        request: @Sendable (_ redirectURI: String) async throws -> URL,
        judge: @Sendable (_ redirect: String) async throws -> RedirectVerdict<Value>
    ) async throws -> Value {
        let url = try await request(Self.redirectURI).absoluteString
        self.seen.withLock { $0.urls.append(url) }
        for redirect in try await self.script(url) {
            switch try await judge(redirect) {
            case .accepted(let value, let page):
                self.seen.withLock { $0.pages.append(page) }
                return value
            case .notOurs(let reason):
                self.seen.withLock { $0.reasons.append(reason) }
            }
        }
        throw SignInError(.timedOut)
    }
}
