// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// A flow that presents a page in a user agent and waits for a single redirect.
///
/// `PendingAuthorization` or `PendingLogout` matches and verifies the redirect, as it does for a `RedirectReceiver`. A
/// receiver cannot be used here, because it is asynchronous. Apps written for AppAuth expect that the page has been
/// presented when `present` returns, and that `resumeExternalUserAgentFlow(with:)` returns whether the URL matches.
final class PresentedFlow<Response: Sendable>: OIDExternalUserAgentSession {
    private struct State {
        /// The user agent, or nil before the page has been presented and after the flow has ended.
        var userAgent: (any OIDExternalUserAgent)?
        /// Whether the redirect has arrived.
        ///
        /// Any further redirect is ignored, for example after the user reloads the page.
        var hasRedirect = false
    }

    private let expected: ExpectedRedirect<Response>?
    private let callback: Callback<Result<Response, any Error>>
    private let state = Mutex(State())

    /// Creates a flow.
    ///
    /// Without an expected redirect, the flow accepts none.
    init(_ expected: ExpectedRedirect<Response>?, _ callback: Callback<Result<Response, any Error>>) {
        self.expected = expected
        self.callback = callback
    }

    /// Reports a cancellation if the app releases the flow before it has ended.
    deinit {
        guard self.state.withLock({ $0.userAgent != nil }) else { return }
        let message = "The flow was released before it ended. Retain it until its callback is called."
        self.callback(.failure(NSError.appAuth(.programCanceledAuthorizationFlow, message)))
    }

    /// Presents the page.
    func present(_ request: some OIDExternalUserAgentRequest, _ userAgent: any OIDExternalUserAgent) {
        self.state.withLock { $0.userAgent = userAgent }
        guard userAgent.present(request, session: self) else {
            return self.end(.failure(NSError.appAuth(.browserOpenError, "Could not present the page.")))
        }
    }

    func cancel() { self.cancel(completion: nil) }

    func cancel(completion: (@Sendable () -> Void)?) {
        let error = NSError.appAuth(.programCanceledAuthorizationFlow, "The app canceled the flow.")
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

    /// Ends the flow and reports the result after the page has been dismissed.
    ///
    /// Later calls have no effect.
    private func end(_ result: Result<Response, any Error>, _ completion: (@Sendable () -> Void)? = nil) {
        guard let userAgent = self.state.withLock({ $0.userAgent.take() }) else {
            completion?()
            return
        }
        let callback = self.callback
        let isGone = SharedResult<Void>(otherwise: ()) {
            callback(result)
            completion?()
        }
        userAgent.dismiss(animated: true) { isGone(()) }
    }
}

/// The redirect that a flow expects, and how it is converted to a response.
struct ExpectedRedirect<Response: Sendable>: Sendable {
    let matches: @Sendable (DeliveredResponse) -> Bool
    let receive: @Sendable (DeliveredResponse) async throws -> Response
}

extension ExpectedRedirect<OIDAuthorizationResponse> {
    /// Creates the redirect that an authorization request expects.
    ///
    /// - Throws: `InvalidRequestError` if the request has no state or no redirect URL.
    init(of request: OIDAuthorizationRequest) throws {
        guard let redirectURL = request.redirectURL else {
            throw InvalidRequestError("redirect_uri", reason: "the response requires a redirect URL")
        }
        guard let state = request.state, !state.isEmpty else {
            throw InvalidRequestError("state", reason: "a state is required to identify the response")
        }
        guard let responseType = ResponseType(appAuth: request.responseType) else {
            throw InvalidRequestError("response_type", reason: "only 'code' and 'code id_token' are supported")
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
    /// Creates the redirect that an end-session request expects.
    ///
    /// - Throws: `InvalidRequestError` if the request has no state or no redirect URL, or `ProtocolViolationError`
    ///   `missingMetadata` if the provider has no end-session endpoint.
    init(of request: OIDEndSessionRequest) throws {
        guard let redirectURL = request.postLogoutRedirectURL else {
            throw InvalidRequestError("post_logout_redirect_uri", reason: "the response requires a redirect URL")
        }
        guard let state = request.state, !state.isEmpty else {
            throw InvalidRequestError("state", reason: "a state is required to identify the response")
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
    /// Returns the redirect's parameters without verifying them.
    fileprivate func parameters(inFragment isInFragment: Bool) -> [String: Any] {
        let parts = URIParts(self.uri)
        let form = try? FormParameters(decoding: (isInFragment ? parts?.fragment : parts?.query) ?? "")
        return form?.byName ?? [:]
    }
}

extension ResponseType {
    /// Creates a response type from AppAuth's text.
    ///
    /// Apps written for AppAuth can list the values in any order.
    fileprivate init?(appAuth text: String) {
        switch Set(text.split(separator: " ")) {
        case ["code"]: self = .code
        case ["code", "id_token"]: self = .codeIDToken
        default: return nil
        }
    }
}
