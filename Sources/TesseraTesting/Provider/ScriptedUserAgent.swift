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

    /// Returns a receiver of the script's answers, which times out after the last.
    public func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver {
        let answers = Mutex<[DeliveredResponse]>([])
        return RedirectReceiver(
            redirectURI: Self.redirectURI,
            present: { page in
                let url = page.absoluteString
                self.seen.withLock { seen in
                    seen.urls.append(url)
                    seen.responseModes.append(responseMode)
                }
                let script = try await self.script(url)
                answers.withLock { $0 = script.reversed() }
            },
            nextRedirect: {
                guard let answer = answers.withLock({ $0.popLast() }) else { throw SignInError(.timedOut) }
                return Redirect(answer) { reply in
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
