// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraOAuth
internal import TesseraSupport

/// The wait for one redirect, and the user agent that shows the page meanwhile.
final class PresentedFlow<Response: Sendable>: OIDExternalUserAgentSession {
    private struct State {
        /// Nil before the page is shown and after the wait.
        var userAgent: (any OIDExternalUserAgent)?
        /// Whether the redirect has arrived; another one, of a page that is loaded again for example, is ignored.
        var hasRedirect = false
    }

    private let expected: ExpectedRedirect<Response>?
    private let callback: Callback<Result<Response, any Error>>
    private let state = Mutex(State())

    /// Creates a flow; without an expected redirect it accepts none.
    init(_ expected: ExpectedRedirect<Response>?, _ callback: Callback<Result<Response, any Error>>) {
        self.expected = expected
        self.callback = callback
    }

    /// A program that released the flow learns that the wait is over.
    deinit {
        guard self.state.withLock({ $0.userAgent != nil }) else { return }
        self.callback(.failure(NSError.appAuth(.programCanceledAuthorizationFlow, "Nobody held the flow.")))
    }

    /// Shows the page.
    func present(_ request: some OIDExternalUserAgentRequest, _ userAgent: any OIDExternalUserAgent) {
        self.state.withLock { $0.userAgent = userAgent }
        guard userAgent.present(request, session: self) else {
            return self.end(.failure(NSError.appAuth(.browserOpenError, "The page could not be shown.")))
        }
    }

    func cancel() { self.cancel(completion: nil) }

    func cancel(completion: (@Sendable () -> Void)?) {
        let error = NSError.appAuth(.programCanceledAuthorizationFlow, "The program cancelled the flow.")
        self.end(.failure(error), completion)
    }

    func resumeExternalUserAgentFlow(with url: URL) -> Bool {
        let response = DeliveredResponse.redirect(url.absoluteString)
        guard let expected, expected.matches(response) else { return false }
        let isFirst = self.state.withLock { state in
            guard state.userAgent != nil, !state.hasRedirect else { return false }
            state.hasRedirect = true
            return true
        }
        guard isFirst else { return false }
        Task {
            do {
                self.end(.success(try await expected.receive(response)))
            } catch {
                self.end(.failure(NSError.appAuth(mapping: error, domain: OIDOAuthAuthorizationErrorDomain)))
            }
        }
        return true
    }

    func failExternalUserAgentFlowWithError(_ error: any Error) { self.end(.failure(error)) }

    /// The first end is reported, after the page has been dismissed.
    private func end(_ result: Result<Response, any Error>, _ completion: (@Sendable () -> Void)? = nil) {
        guard let userAgent = self.state.withLock({ $0.userAgent.take() }) else {
            completion?()
            return
        }
        let callback = self.callback
        let isGone = OneAnswer<Void>(otherwise: ()) {
            callback(result)
            completion?()
        }
        userAgent.dismiss(animated: true) { isGone(()) }
    }
}
