// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Foundation
internal import TesseraSupport
internal import Tessera
internal import TesseraOAuth

/// The implementation shared by user agents that present a sheet and receive a single redirect.
package final class SheetUserAgent: OIDExternalUserAgent, Sendable {
    /// Presents a page and returns the redirect to a URI.
    ///
    /// Canceling the task dismisses the page.
    package typealias Sheet = @Sendable (_ page: URL, _ redirectURI: String) async throws -> URL

    private struct State {
        var lastID = 0
        /// The sheet on the screen.
        var presentation: (id: Int, task: Task<Void, Never>)?
    }

    private let sheet: Sheet
    private let state = Mutex(State())

    package init(_ sheet: @escaping Sheet) { self.sheet = sheet }

    /// Presents the page, or returns false if another sheet is on the screen or the request has no redirect URI.
    package func present(
        _ request: any OIDExternalUserAgentRequest,
        session: any OIDExternalUserAgentSession
    ) -> Bool {
        guard let page = request.externalUserAgentRequestURL(), let redirectURI = Self.redirectURI(of: request) else {
            return false
        }
        return self.state.withLock { state in
            guard state.presentation == nil else { return false }
            state.lastID += 1
            let id = state.lastID
            let task = Task {
                do {
                    let redirect = try await self.redirect(from: page, to: redirectURI, id)
                    guard !session.resumeExternalUserAgentFlow(with: redirect) else { return }
                    let error = NSError.appAuth(.urlMismatch, "The sheet did not return the expected redirect.")
                    session.failExternalUserAgentFlowWithError(error)
                } catch {
                    session.failExternalUserAgentFlowWithError(Self.mapped(error))
                }
            }
            state.presentation = (id, task)
            return true
        }
    }

    package func dismiss(animated: Bool, completion: @escaping @Sendable () -> Void) {
        self.state.withLock { $0.presentation.take() }?.task.cancel()
        completion()
    }

    /// Shows the sheet until it returns the redirect.
    private func redirect(from page: URL, to redirectURI: String, _ id: Int) async throws -> URL {
        defer {
            // The app may have dismissed this sheet and presented another one.
            self.state.withLock { state in
                if state.presentation?.id == id { state.presentation = nil }
            }
        }
        return try await self.sheet(page, redirectURI)
    }

    /// Returns a request's redirect URI.
    ///
    /// An `https` redirect is identified by its host and path, and a private one by its scheme.
    private static func redirectURI(of request: any OIDExternalUserAgentRequest) -> String? {
        switch request {
        case let request as OIDAuthorizationRequest: request.redirectURL?.absoluteString
        case let request as OIDEndSessionRequest: request.postLogoutRedirectURL?.absoluteString
        default: request.redirectScheme().map { "\($0):/" }
        }
    }

    /// Maps an error to AppAuth's domains.
    ///
    /// An error is reported as a cancellation only if the user closed the sheet.
    private static func mapped(_ error: any Error) -> NSError {
        switch error {
        case let error as SignInError where error.code == .canceled:
            .appAuth(.userCanceledAuthorizationFlow, "The user closed the page.", underlying: error)
        case is CancellationError: .appAuth(mapping: error)
        default: .appAuth(.safariOpenError, "Could not present the page: \(error)", underlying: error)
        }
    }
}
