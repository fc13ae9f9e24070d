// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(AppKit) && !targetEnvironment(macCatalyst)
public import AppKit
internal import TesseraUserAgents

/// The system's sign-in sheet over a window: the user agent of programs for macOS.
///
/// Of a redirect with a private scheme, the scheme has to have a dot.
///
/// - SeeAlso: [RFC 8252, section 7.1](https://www.rfc-editor.org/rfc/rfc8252.html#section-7.1)
public final class OIDExternalUserAgentMac: OIDExternalUserAgent {
    private let sheet: SheetUserAgent

    /// A sheet over `presentingWindow` that shares the browser's session.
    public convenience init(presenting presentingWindow: NSWindow) {
        self.init(over: presentingWindow, isEphemeral: false)
    }

    /// A sheet over `presentingWindow`; never nil, and optional as in AppAuth.
    ///
    /// - Parameters:
    ///   - presentingWindow: the window.
    ///   - prefersEphemeralSession: whether the sheet starts without the browser's cookies.
    public convenience init?(presenting presentingWindow: NSWindow, prefersEphemeralSession: Bool) {
        self.init(over: presentingWindow, isEphemeral: prefersEphemeralSession)
    }

    init(over window: NSWindow, isEphemeral: Bool) {
        self.sheet = SheetUserAgent { page, redirectURI in
            let agent = AuthenticationSessionAgent(
                redirectURI: redirectURI,
                prefersEphemeralSession: isEphemeral,
                anchor: { window }
            )
            return try await agent.redirect(from: page)
        }
    }

    /// Shows the sheet.
    ///
    /// Closing it ends the session with `userCanceledAuthorizationFlow`.
    public func present(_ request: any OIDExternalUserAgentRequest, session: any OIDExternalUserAgentSession) -> Bool {
        self.sheet.present(request, session: session)
    }

    /// Takes the sheet away.
    public func dismiss(animated: Bool, completion: @escaping @Sendable () -> Void) {
        self.sheet.dismiss(animated: animated, completion: completion)
    }
}
#endif
