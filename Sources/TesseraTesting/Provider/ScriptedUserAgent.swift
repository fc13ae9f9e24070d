// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraSupport
public import Tessera
public import TesseraOAuth

/// A user agent that uses a script to simulate the user and the browser, without a window or socket.
public final class ScriptedUserAgent: UserAgent {
    /// A function that returns the redirects for an authorization URL, in order.
    public typealias Script = @Sendable (_ authorizationURL: String) async throws -> [String]
    /// A function that returns the authorization responses for an authorization URL, in order.
    public typealias DeliveryScript = @Sendable (_ authorizationURL: String) async throws -> [DeliveredResponse]

    /// The redirect URI.
    public static let redirectURI = "http://127.0.0.1:49152/"

    private struct Seen: Sendable {
        var urls: [String] = []
        var responseModes: [ResponseMode] = []
        var reasons: [String] = []
        var pages: [CompletionPage] = []
    }

    private let script: DeliveryScript
    private let seen = Mutex(Seen())

    /// Creates a user agent that delivers redirects.
    ///
    /// The sign-in times out after the last redirect.
    public convenience init(_ script: @escaping Script) {
        self.init(deliveries: { url in try await script(url).map { .redirect($0) } })
    }

    /// Returns a user agent that delivers authorization responses of any kind.
    public static func delivering(_ script: @escaping DeliveryScript) -> ScriptedUserAgent {
        ScriptedUserAgent(deliveries: script)
    }

    private init(deliveries script: @escaping DeliveryScript) { self.script = script }

    /// All authorization URLs opened so far.
    public var authorizationURLs: [String] { self.seen.withLock { $0.urls } }
    /// The response mode that each sign-in expected.
    public var responseModes: [ResponseMode] { self.seen.withLock { $0.responseModes } }
    /// The reasons for rejecting unrelated responses.
    public var reasons: [String] { self.seen.withLock { $0.reasons } }
    /// The completion pages that have been shown.
    public var pages: [CompletionPage] { self.seen.withLock { $0.pages } }

    /// The parameters in the most recent authorization URL.
    public var parameters: [FormParameter] {
        FormParameter.parse(String((self.authorizationURLs.last ?? "").drop { $0 != "?" }.dropFirst()))
    }

    /// Returns the value of a parameter in the most recent authorization URL, or `nil` if it is missing.
    public func parameter(_ name: String) -> String? { self.parameters.first { $0.name == name }?.value }

    /// Returns a receiver that delivers the scripted responses and times out after the last one.
    public func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver {
        let responses = Mutex<[DeliveredResponse]>([])
        return RedirectReceiver(
            redirectURI: Self.redirectURI,
            present: { page in
                let url = page.absoluteString
                self.seen.withLock { seen in
                    seen.urls.append(url)
                    seen.responseModes.append(responseMode)
                }
                let script = try await self.script(url)
                responses.withLock { $0 = script.reversed() }
            },
            nextRedirect: {
                guard let response = responses.withLock({ $0.popLast() }) else { throw SignInError(.timedOut) }
                return Redirect(response) { reply in
                    self.seen.withLock { seen in
                        switch reply {
                        case .unrelated(let reason): seen.reasons.append(reason)
                        case .completed(let page): seen.pages.append(page)
                        case .failed: break
                        }
                    }
                }
            },
            close: {}
        )
    }
}
