// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import TesseraSupport
public import Tessera
public import TesseraOAuth

/// A browser and a person in one, who do what a script says: no window, no socket, no time.
public final class ScriptedUserAgent: UserAgent {
    /// The redirects that arrive after an authorization URL was shown, in this order.
    public typealias Script = @Sendable (_ authorizationURL: String) async throws -> [String]
    /// The answers that arrive after an authorization URL was shown, in this order.
    public typealias DeliveryScript = @Sendable (_ authorizationURL: String) async throws -> [DeliveredResponse]

    /// Where redirects are received.
    public static let redirectURI = "http://127.0.0.1:49152/"

    private struct Seen: Sendable {
        var urls: [String] = []
        var responseModes: [ResponseMode] = []
        var reasons: [String] = []
        var pages: [CompletionPage] = []
    }

    private let script: DeliveryScript
    private let seen = Mutex(Seen())

    /// A person who follows a script; when it has no more redirects, the sign-in times out.
    public convenience init(_ script: @escaping Script) {
        self.init(deliveries: { url in try await script(url).map { .redirect($0) } })
    }

    /// A person whose browser brings answers of any kind.
    public static func delivering(_ script: @escaping DeliveryScript) -> ScriptedUserAgent {
        ScriptedUserAgent(deliveries: script)
    }

    private init(deliveries script: @escaping DeliveryScript) { self.script = script }

    /// Every authorization URL that was shown.
    public var authorizationURLs: [String] { self.seen.withLock { $0.urls } }
    /// How each answer was expected to come.
    public var responseModes: [ResponseMode] { self.seen.withLock { $0.responseModes } }
    /// Why answers were not taken.
    public var reasons: [String] { self.seen.withLock { $0.reasons } }
    /// The last pages that were shown.
    public var pages: [CompletionPage] { self.seen.withLock { $0.pages } }

    /// The parameters of the authorization URL that was shown last.
    public var parameters: [FormParameter] {
        FormParameter.parse(String((self.authorizationURLs.last ?? "").drop { $0 != "?" }.dropFirst()))
    }

    /// The value of a parameter of the authorization URL that was shown last; nil when it is absent.
    public func parameter(_ name: String) -> String? { self.parameters.first { $0.name == name }?.value }

    /// Shows the page to the script and hands its answers to `judge`.
    public func authorize<Value: Sendable>(
        timeout: Duration,
        responseMode: ResponseMode,
        request: @Sendable (_ redirectURI: String) async throws -> URL,
        judge: @Sendable (_ delivered: DeliveredResponse) async throws -> RedirectVerdict<Value>
    ) async throws -> Value {
        let url = try await request(Self.redirectURI).absoluteString
        self.seen.withLock { seen in
            seen.urls.append(url)
            seen.responseModes.append(responseMode)
        }
        for delivered in try await self.script(url) {
            switch try await judge(delivered) {
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
