// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraOAuth

/// Judges what comes back from the page that signs a person out.
struct EndSessionJudge: Sendable {
    private let request: OIDEndSessionRequest
    private let redirectURI: RedirectURI
    private let pending: PendingLogout

    /// - Throws: `InvalidRequest` for what a redirect cannot be judged by; `missingMetadata` where the provider has no such
    ///   page.
    init(_ request: OIDEndSessionRequest) throws {
        guard let redirectURL = request.postLogoutRedirectURL else {
            throw InvalidRequest("post_logout_redirect_uri", reason: "the browser needs somewhere to come back to")
        }
        guard let state = request.state, !state.isEmpty else {
            throw InvalidRequest("state", reason: "without a state nobody knows whose answer it is")
        }
        self.request = request
        self.redirectURI = try RedirectURI(redirectURL.absoluteString)
        var sent = EndSessionRequest(idTokenHint: nil, postLogoutRedirectURI: self.redirectURI)
        sent.state = Secret(state)
        self.pending = try PendingLogout(sent, by: try ProviderAccess(request.configuration).registeredClient())
    }

    /// - Throws: `OAuthError` where the provider said no.
    func verdict(on redirect: String) throws -> PresentedFlow<OIDEndSessionResponse>.Verdict {
        guard try self.pending.receive(redirect) == nil else { return .notOurs }
        let form = try? FormParameters(decoding: URIParts(redirect)?.query ?? "")
        let (request, parameters) = (self.request, form?.byName ?? [:])
        return .answer { OIDEndSessionResponse(request: request, parameters: parameters) }
    }
}
