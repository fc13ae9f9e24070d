// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension IDTokenPolicy {
    /// Takes over what an attempt demands of its ID token: the nonce, `max_age`, claims that were asked for as
    /// essential, and the code for `c_hash`.
    public mutating func bind(to response: AuthorizationResponse) {
        self.bind(to: response.binding, code: response.code)
    }

    mutating func bind(to binding: AuthorizationBinding, code: Secret) {
        self.nonce = binding.nonceRule
        self.maxAge = binding.request.maxAge
        self.essentialACRValues = binding.request.claims.essentialACRValues
        self.requiresAuthenticationTime = binding.request.claims.requiresAuthenticationTime
        self.code = code
    }
}
