// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// The wait for one redirect, and the user agent that shows the page meanwhile.
///
/// The redirect is recognized and verified by the same `PendingAuthorization` or `PendingLogout` as with a
/// `RedirectReceiver`. A receiver itself is asynchronous: AppAuth's apps expect the page when `present` returns, and the
/// answer whether a URL was the redirect when `resumeExternalUserAgentFlow(with:)` does.
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

/// Which redirect a flow waits for, and the response that it makes of it.
struct ExpectedRedirect<Response: Sendable>: Sendable {
    let matches: @Sendable (DeliveredResponse) -> Bool
    let receive: @Sendable (DeliveredResponse) async throws -> Response
}

extension ExpectedRedirect<OIDAuthorizationResponse> {
    /// The redirect of an authorization request, which is verified as in every other sign-in.
    ///
    /// - Throws: `InvalidRequestError` for a request without a state or a redirect URL.
    init(of request: OIDAuthorizationRequest) throws {
        guard let redirectURL = request.redirectURL else {
            throw InvalidRequestError("redirect_uri", reason: "the answer needs a redirect URL to come to")
        }
        guard let state = request.state, !state.isEmpty else {
            throw InvalidRequestError("state", reason: "without a state nobody knows whose answer it is")
        }
        guard let responseType = ResponseType(appAuth: request.responseType) else {
            throw InvalidRequestError("response_type", reason: "only code and code id_token are taken")
        }
        let configuration = request.configuration
        let client = try configuration.registeredClient(clientID: request.clientID, clientSecret: request.clientSecret)
        var sent = AuthorizationRequest(
            redirectURI: try RedirectURI(redirectURL.absoluteString),
            scopes: ScopeList.scopes(request.scope ?? ""),
            responseType: responseType
        )
        sent.state = Secret(state)
        sent.nonce = request.nonce.map { Secret($0) }
        let pending = try PendingAuthorization(
            sent,
            metadata: client.metadata,
            client: client.client,
            runtime: client.runtime,
            lifetime: .seconds(86_400)
        )
        self.init(matches: pending.matches) { response in
            let aliases = configuration.issuerAliases
            _ = try await pending.receive(response, issuerAliases: aliases) {
                try await configuration.connection(for: client).keySet()
            }
            return OIDAuthorizationResponse(
                request: request,
                parameters: response.parameters(inFragment: responseType == .codeIDToken),
                receivedAt: client.runtime.now()
            )
        }
    }
}

extension ExpectedRedirect<OIDEndSessionResponse> {
    /// The redirect of a sign-out.
    ///
    /// - Throws: `InvalidRequestError` for a request without a state or a redirect URL; `missingMetadata` if the provider has no
    ///   end-session endpoint.
    init(of request: OIDEndSessionRequest) throws {
        guard let redirectURL = request.postLogoutRedirectURL else {
            throw InvalidRequestError("post_logout_redirect_uri", reason: "the browser needs somewhere to come back to")
        }
        guard let state = request.state, !state.isEmpty else {
            throw InvalidRequestError("state", reason: "without a state nobody knows whose answer it is")
        }
        let redirectURI = try RedirectURI(redirectURL.absoluteString)
        var sent = EndSessionRequest(idTokenHint: nil, postLogoutRedirectURI: redirectURI)
        sent.state = Secret(state)
        let pending = try PendingLogout(sent, by: try request.configuration.registeredClient())
        self.init(matches: pending.matches) { response in
            try pending.receive(response)
            return OIDEndSessionResponse(request: request, parameters: response.parameters(inFragment: false))
        }
    }
}

extension DeliveredResponse {
    /// The parameters, not verified.
    fileprivate func parameters(inFragment isInFragment: Bool) -> [String: Any] {
        let parts = URIParts(self.uri)
        let form = try? FormParameters(decoding: (isInFragment ? parts?.fragment : parts?.query) ?? "")
        return form?.byName ?? [:]
    }
}

extension ResponseType {
    /// AppAuth writes the words in any order.
    fileprivate init?(appAuth text: String) {
        switch Set(text.split(separator: " ")) {
        case ["code"]: self = .code
        case ["code", "id_token"]: self = .codeIDToken
        default: return nil
        }
    }
}
