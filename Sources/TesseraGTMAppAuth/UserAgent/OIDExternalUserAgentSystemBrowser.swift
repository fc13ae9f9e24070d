// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin) || (canImport(AppKit) && !targetEnvironment(macCatalyst))
internal import Foundation
public import TesseraOAuth
internal import TesseraUserAgents

/// The user's browser: the user agent of desktop programs.
///
/// It does not exist on iOS, tvOS, watchOS and visionOS, which suspend an app while its user is in the browser.
///
/// Where the redirect comes to is the program's choice: an ``OIDRedirectHTTPHandler``, or a private scheme whose URLs the
/// system hands to the program.
///
/// - SeeAlso: [RFC 8252, section 6](https://www.rfc-editor.org/rfc/rfc8252.html#section-6)
public final class OIDExternalUserAgentSystemBrowser: OIDExternalUserAgent {
    private let browser: SystemBrowser

    /// What the system opens pages with, or what `$BROWSER` names.
    public init() { self.browser = SystemBrowser() }

    /// What the system opens pages with, or what `$BROWSER` names, with permissions that weaken security.
    ///
    /// - Parameter insecure: `redirectsFromAnyUser` lets the browser be in a place where its connections are not attributed
    ///   to this user, outside a container for example.
    public init(insecure: Insecure) { self.browser = SystemBrowser(insecure: insecure) }

    /// Another program.
    ///
    /// - Parameters:
    ///   - command: words, quoted as in a shell but seen by none; `%s` is replaced by the address, which is appended where
    ///     there is no `%s`.
    ///   - insecure: As in ``init(insecure:)``.
    public init(command: String, insecure: Insecure = []) {
        self.browser = SystemBrowser(command: .command(command), insecure: insecure)
    }

    /// Opens the page; where that fails, the session ends with `browserOpenError` soon.
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

    /// Does nothing: the page is the browser's.
    public func dismiss(animated: Bool, completion: @escaping @Sendable () -> Void) { completion() }
}
#endif
