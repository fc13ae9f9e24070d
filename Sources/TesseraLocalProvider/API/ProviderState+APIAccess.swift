// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

extension ProviderState {
    /// The token of a call to an API and its account, when the token is good for one of `scopes`.
    func apiToken(
        _ request: EndpointRequest,
        anyOf scopes: [String],
        service: String,
        at now: Int64
    ) throws(APIFailure) -> (AccessToken, LocalProviderAccount) {
        do throws(BearerRefusal) {
            let token = try self.bearer(request, anyOf: scopes, at: now)
            guard let account = self.account(token.subject) else { throw .invalidToken }
            return (token, account)
        } catch {
            throw self.refusal(error, service: service)
        }
    }

    private func refusal(_ refusal: BearerRefusal, service: String) -> APIFailure {
        switch refusal {
        case .noToken, .invalidToken:
            APIFailure(
                status: .unauthorized,
                statusName: "UNAUTHENTICATED",
                reason: refusal.isMissing ? "required" : "authError",
                message: refusal.isMissing
                    ? "Login Required." : "Invalid Credentials: the access token is expired, revoked or malformed.",
                location: ("header", "Authorization"),
                challenge: self.challenge(refusal)
            )
        case .insufficientScope:
            APIFailure(
                status: .forbidden,
                statusName: "PERMISSION_DENIED",
                reason: "insufficientPermissions",
                message: "Insufficient Permission: Request had insufficient authentication scopes.",
                detail: "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
                service: service,
                challenge: self.challenge(refusal)
            )
        }
    }
}

extension ProviderState.BearerRefusal {
    fileprivate var isMissing: Bool {
        if case .noToken = self { true } else { false }
    }
}
#endif
