// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(MessageUI)
internal import TesseraUserAgents
public import UIKit

/// The system's sign-in sheet over a view controller's window: the user agent of apps for iOS and visionOS.
///
/// The scheme of a private redirect URI must contain a dot.
///
/// - SeeAlso: [RFC 8252, section 7.1](https://www.rfc-editor.org/rfc/rfc8252.html#section-7.1)
public final class OIDExternalUserAgentIOS: OIDExternalUserAgent {
    private let sheet: SheetUserAgent

    /// Creates a sheet over the window of `presentingViewController`: never nil, and optional as in AppAuth.
    ///
    /// - Parameters:
    ///   - presentingViewController: A view controller whose view is on the screen when the sheet appears. Otherwise the
    ///     sign-in fails with `browserOpenError`.
    ///   - prefersEphemeralSession: Whether the sheet starts without the browser's cookies.
    public convenience init?(
        presenting presentingViewController: UIViewController,
        prefersEphemeralSession: Bool = false
    ) {
        self.init(over: presentingViewController, isEphemeral: prefersEphemeralSession)
    }

    init(over viewController: UIViewController, isEphemeral: Bool) {
        self.sheet = SheetUserAgent { page, redirectURI in
            let agent = AuthenticationSessionAgent(
                redirectURI: redirectURI,
                prefersEphemeralSession: isEphemeral,
                anchor: { viewController.view.window }
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
