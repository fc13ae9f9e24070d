// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Security)
extension StoreFactory {
    /// `keychain:`, a ``KeychainSessionStore`` in the data-protection keychain, for programs that are signed with an access
    /// group; or `keychain:login`, in the login keychain of macOS, which any program may use.
    public static let keychain = StoreFactory(
        scheme: "keychain",
        form: "keychain: or keychain:login"
    ) { rest throws(StoreError) in
        switch rest {
        case "": return Product(name: "keychain:") { KeychainSessionStore() }
        case "login": return Product(name: "keychain:login") { KeychainSessionStore(kind: .fileBased) }
        default: throw StoreError(.unavailable, place: "keychain:", detail: "nothing but login may follow the colon")
        }
    }
}
#endif
