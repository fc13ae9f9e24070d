// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON

extension ProviderState {
    /// Why a resource refuses a call (RFC 6750, section 3).
    enum BearerRefusal: Error {
        case noToken
        case invalidToken
        /// The token is good for none of these scopes.
        case insufficientScope([String])
    }

    /// The token of a call, when it is good for at least one of `scopes`.
    func bearer(
        _ request: EndpointRequest,
        anyOf scopes: [String],
        at now: Int64
    ) throws(BearerRefusal) -> AccessToken {
        let fields = request.headers[values: .authorization]
        guard let field = fields.first else { throw .noToken }
        let words = field.split(separator: " ", maxSplits: 1)
        guard fields.count == 1, words.count == 2, words[0].lowercased() == "bearer",
            let token = self.accessTokens.entry(words[1].trimmed, at: now)
        else { throw .invalidToken }
        guard scopes.contains(where: token.scopes.contains) else { throw .insufficientScope(scopes) }
        return token
    }

    /// The challenge that goes with a refusal.
    func challenge(_ refusal: BearerRefusal) -> String {
        let realm = "Bearer realm=\"\(self.baseURL)\""
        return switch refusal {
        case .noToken: realm
        case .invalidToken: realm + ", error=\"invalid_token\""
        case .insufficientScope(let scopes):
            realm + ", error=\"insufficient_scope\", scope=\"\(scopes.joined(separator: " "))\""
        }
    }
}
#endif
