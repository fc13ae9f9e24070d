// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraOAuth

/// Judges what comes back from an authorization page, by the same rules as every other sign-in.
struct AuthorizationJudge: Sendable {
    private static let lifetime = Duration.seconds(86_400)

    private let request: OIDAuthorizationRequest
    private let access: ProviderAccess
    private let pending: PendingAuthorization

    /// - Throws: `InvalidRequest` for what a redirect cannot be judged by: no state, or no redirect URL.
    init(_ request: OIDAuthorizationRequest) throws {
        guard let redirectURL = request.redirectURL else {
            throw InvalidRequest("redirect_uri", reason: "the answer needs a redirect URL to come to")
        }
        guard let state = request.state, !state.isEmpty else {
            throw InvalidRequest("state", reason: "without a state nobody knows whose answer it is")
        }
        guard let responseType = ResponseType(appAuth: request.responseType) else {
            throw InvalidRequest("response_type", reason: "only code and code id_token are taken")
        }
        self.request = request
        self.access = try ProviderAccess(
            request.configuration,
            clientID: request.clientID,
            clientSecret: request.clientSecret
        )
        var sent = AuthorizationRequest(
            redirectURI: try RedirectURI(redirectURL.absoluteString),
            scopes: ScopeList.scopes(request.scope ?? ""),
            responseType: responseType
        )
        sent.state = Secret(state)
        sent.nonce = request.nonce.map { Secret($0) }
        let client = try self.access.registeredClient()
        self.pending = try PendingAuthorization(
            sent,
            metadata: client.metadata,
            client: client.client,
            runtime: client.runtime,
            lifetime: Self.lifetime
        )
    }

    /// - Throws: `OAuthError` where the provider or the person said no; `ProtocolViolation`.
    func verdict(on redirect: String) throws -> PresentedFlow<OIDAuthorizationResponse>.Verdict {
        switch try self.pending.receive(redirect, uptime: self.access.world.runtime.uptime()) {
        case .notOurs: return .notOurs
        case .response: return .answer { self.response(redirect) }
        case .unverified(let response):
            return .answer {
                let keys = try await self.access.keys()
                _ = try await response.validated(with: keys, issuerAliases: self.access.issuerAliases)
                return self.response(redirect)
            }
        }
    }

    private func response(_ redirect: String) -> OIDAuthorizationResponse {
        let parts = URIParts(redirect)
        let isInFragment = self.request.responseType != OIDResponseTypeCode
        let form = try? FormParameters(decoding: (isInFragment ? parts?.fragment : parts?.query) ?? "")
        return OIDAuthorizationResponse(
            request: self.request,
            parameters: form?.byName ?? [:],
            receivedAt: self.access.world.runtime.now()
        )
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
