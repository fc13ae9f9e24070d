// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension Provider {
    /// Whether an account is of this issuer and client.
    package func owns(_ account: Account) -> Bool {
        account.issuer == self.issuer.url && account.clientID == self.client.clientID
    }
}
