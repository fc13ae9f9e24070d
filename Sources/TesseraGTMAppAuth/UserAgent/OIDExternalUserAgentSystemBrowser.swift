// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin) || (canImport(AppKit) && !targetEnvironment(macCatalyst))
internal import Foundation
public import TesseraOAuth
internal import TesseraUserAgents

/// A user agent for desktop apps that opens the user's browser.
///
/// This user agent is not available on iOS, tvOS, watchOS and visionOS, which suspend an app while the user is in the
/// browser.
///
/// The app receives the redirect through an ``OIDRedirectHTTPHandler`` or a private URI scheme that the system forwards
/// to the app.
///
/// - SeeAlso: [RFC 8252, section 6](https://www.rfc-editor.org/rfc/rfc8252.html#section-6)
public final class OIDExternalUserAgentSystemBrowser: OIDExternalUserAgent, Sendable {
    private let browser: SystemBrowser

    /// Creates a user agent that opens the default browser or the one specified by `$BROWSER`.
    public init() { self.browser = SystemBrowser() }

    /// Creates a user agent that opens the default browser or the one specified by `$BROWSER`, with reduced security.
    ///
    /// - Parameter insecure: The insecure behavior to permit. `redirectsFromAnyUser` permits a browser whose
    ///   connections are not attributed to this user, such as one outside a container.
    public init(insecure: Insecure) { self.browser = SystemBrowser(insecure: insecure) }

    /// Creates a user agent that opens a custom browser.
    ///
    /// - Parameters:
    ///   - command: A command line with shell quoting, which is not passed to a shell. `%s` is replaced by the URL. If
    ///     there is no `%s`, the URL is appended.
    ///   - insecure: The insecure behavior to permit, as in ``init(insecure:)``.
    public init(command: String, insecure: Insecure = []) {
        self.browser = SystemBrowser(command: .command(command), insecure: insecure)
    }

    /// Opens the page.
    ///
    /// If the page cannot be opened, the session ends asynchronously with `browserOpenError`.
    public func present(_ request: any OIDExternalUserAgentRequest, session: any OIDExternalUserAgentSession) -> Bool {
        guard let url = request.externalUserAgentRequestURL() else { return false }
        let browser = self.browser
        Task {
            do {
                try await browser.open(url)
            } catch {
                let error = NSError.appAuth(.browserOpenError, "\(error)", underlying: error)
                session.failExternalUserAgentFlowWithError(error)
            }
        }
        return true
    }

    /// Does nothing, because the app does not control the browser.
    public func dismiss(animated: Bool, completion: @escaping @Sendable () -> Void) { completion() }
}
#endif
