// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// A flow that presents a page in a user agent and waits for a single redirect.
///
/// `PendingAuthorization` or `PendingLogout` matches and verifies the redirect, as it does for a `RedirectReceiver`. A
/// receiver cannot be used here, because it is asynchronous. Apps written for AppAuth expect that the page has been
/// presented when `present` returns, and that `resumeExternalUserAgentFlow(with:)` returns whether the URL matches.
///
/// The conformance of the state to `Sendable` is `@unchecked` because user agents are not `Sendable`. It is safe because
/// a `Mutex` protects the reference, and the flow calls the user agent only in `present` and on the main thread.
final class PresentedFlow<Response: Sendable>: OIDExternalUserAgentSession {
    private struct State: @unchecked Sendable {
        /// The user agent, or nil before the page has been presented and after it has been dismissed.
        var userAgent: (any OIDExternalUserAgent)?
        /// Whether the flow waits for the redirect.
        ///
        /// Only the first redirect, cancellation or error ends the flow. Any other one is ignored, for example a
        /// redirect after the user reloads the page.
        var isPending = false
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
        guard self.claim() else { return }
        let message = "The flow was released before it ended. Retain it until its callback is called."
        self.callback(.failure(NSError.appAuth(.programCanceledAuthorizationFlow, message)))
    }

    /// Presents the page.
    func present(_ request: some OIDExternalUserAgentRequest, _ userAgent: any OIDExternalUserAgent) {
        let presented = State(userAgent: userAgent, isPending: true)
        self.state.withLock { $0 = presented }
        guard userAgent.present(request, session: self) else {
            return self.failExternalUserAgentFlowWithError(
                NSError.appAuth(.safariOpenError, "Could not present the page.")
            )
        }
    }

    func cancel() { self.cancel(completion: nil) }

    func cancel(completion: (@Sendable () -> Void)?) {
        let callback = self.callback
        guard self.claim() else { return callback.afterward(completion) }
        self.dismiss {
            callback(.failure(NSError.appAuth(.userCanceledAuthorizationFlow, "The app canceled the flow.")))
            callback.afterward(completion)
        }
    }

    func resumeExternalUserAgentFlow(with url: URL) -> Bool {
        let response = DeliveredResponse.redirect(url.absoluteString)
        guard let expected, expected.matches(response), self.claim() else { return false }
        let dismissal = AsyncStream.makeStream(of: Never.self)
        self.dismiss { dismissal.continuation.finish() }
        self.callback.report {
            for await _ in dismissal.stream {}
            do {
                return try await expected.receive(response)
            } catch {
                throw NSError.appAuth(mapping: error, domain: OIDOAuthAuthorizationErrorDomain)
            }
        }
        return true
    }

    /// Ends the flow without dismissing the page, because the user agent that reports the error has done that.
    func failExternalUserAgentFlowWithError(_ error: any Error) {
        guard self.claim() else { return }
        self.state.withLock { $0.userAgent = nil }
        self.callback(.failure(error))
    }

    /// Ends the flow and returns whether it was pending.
    private func claim() -> Bool {
        self.state.withLock { state in
            defer { state.isPending = false }
            return state.isPending
        }
    }

    /// Dismisses the page on the main thread, as user interfaces require, and then calls `completion`.
    ///
    /// If the user agent releases its completion handler, `completion` is called, too.
    private func dismiss(_ completion: @escaping @Sendable () -> Void) {
        let isGone = SharedResult<Void>(otherwise: ()) { completion() }
        let dismissal = { @Sendable in
            let userAgent = self.state.withLock { $0.userAgent.take() }
            userAgent?.dismiss(animated: true) { isGone(()) }
        }
        if Thread.isMainThread { dismissal() } else { DispatchQueue.main.async(execute: dismissal) }
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
        let isInFragment = responseType == .codeIDToken
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
            // Without an issuer there is nothing to compare `iss` with.
            let verified = configuration.canVerifyIDTokens ? response : response.withoutIssuer
            do {
                _ = try await pending.receive(verified, issuerAliases: aliases) {
                    try await configuration.connection(for: client).keySet()
                }
            } catch let error as OAuthError {
                throw NSError.appAuth(error, response.parameters(inFragment: isInFragment))
            }
            return OIDAuthorizationResponse(
                request: request,
                parameters: response.parameters(inFragment: isInFragment),
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

    /// The redirect without `iss` in its query.
    fileprivate var withoutIssuer: DeliveredResponse {
        guard let query = URIParts(self.uri)?.query else { return self }
        let page = self.uri.prefix { $0 != "?" }
        let fragment = self.uri.dropFirst(page.count + 1 + query.count)
        let others = query.split(separator: "&")
            .filter { (try? FormParameters(decoding: $0))?.parameters.first?.name != "iss" }
        return .redirect("\(page)?\(others.joined(separator: "&"))\(fragment)")
    }
}

extension NSError {
    /// The parameters of a redirect that can be secret.
    private static let secretNames: Set = ["state", "code", "access_token", "id_token", "response"]

    /// Maps an error in a redirect.
    ///
    /// The user info contains the redirect's parameters, as in AppAuth, but without secrets.
    fileprivate static func appAuth(_ error: OAuthError, _ parameters: [String: Any]) -> NSError {
        var response = parameters.filter { !self.secretNames.contains($0.key) }
        response[OIDOAuthErrorFieldError] = error.code.rawValue
        response[OIDOAuthErrorFieldErrorDescription] = error.serverDescription
        response[OIDOAuthErrorFieldErrorURI] = error.errorURI
        return .appAuth(domain: OIDOAuthAuthorizationErrorDomain, response: response, underlying: error)
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
