// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Foundation
internal import TesseraSupport
internal import Tessera
internal import TesseraOAuth

/// What AppAuth's user agents over a sheet have in common: the sheet returns one redirect, and is gone then.
package final class SheetUserAgent: OIDExternalUserAgent {
    /// Shows a page, and waits for a redirect to this URI; cancelling takes the page away.
    package typealias Sheet = @Sendable (_ page: URL, _ redirectURI: String) async throws -> URL

    private let sheet: Sheet
    private let presentation = Mutex<Task<Void, Never>?>(nil)

    package init(_ sheet: @escaping Sheet) { self.sheet = sheet }

    /// Shows the page; false where no redirect can come back.
    package func present(
        _ request: any OIDExternalUserAgentRequest,
        session: any OIDExternalUserAgentSession
    ) -> Bool {
        guard let page = request.externalUserAgentRequestURL(), let redirectURI = Self.redirectURI(of: request) else {
            return false
        }
        let sheet = self.sheet
        self.presentation.withLock { presentation in
            presentation = Task {
                do {
                    let redirect = try await sheet(page, redirectURI)
                    guard !session.resumeExternalUserAgentFlow(with: redirect) else { return }
                    let error = NSError.appAuth(.urlMismatch, "The sheet returned something else than the answer.")
                    session.failExternalUserAgentFlowWithError(error)
                } catch {
                    session.failExternalUserAgentFlowWithError(Self.mapped(error))
                }
            }
        }
        return true
    }

    package func dismiss(animated: Bool, completion: @escaping @Sendable () -> Void) {
        self.presentation.withLock { $0.take() }?.cancel()
        completion()
    }

    /// An `https` redirect is known by its host and path, a private one by its scheme.
    private static func redirectURI(of request: any OIDExternalUserAgentRequest) -> String? {
        switch request {
        case let request as OIDAuthorizationRequest: request.redirectURL?.absoluteString
        case let request as OIDEndSessionRequest: request.postLogoutRedirectURL?.absoluteString
        default: request.redirectScheme().map { "\($0):/" }
        }
    }

    /// Only a sheet that the user closed is a cancellation.
    private static func mapped(_ error: any Error) -> NSError {
        switch error {
        case let error as SignInError where error.code == .givenUp:
            .appAuth(.userCanceledAuthorizationFlow, "The user closed the page.", underlying: error)
        case is CancellationError: .appAuth(mapping: error)
        default: .appAuth(.browserOpenError, "The page could not be shown: \(error)", underlying: error)
        }
    }
}
