// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Security)
internal import Tessera

extension StoreFactory {
    /// `keychain:`, a ``KeychainSessionStore`` in the data-protection keychain, for programs that are signed with an
    /// access group.
    ///
    /// On macOS also `keychain:login`, in the login keychain, which any program may use.
    public static let keychain = StoreFactory(scheme: "keychain", form: Self.keychainForm) { rest throws(StoreError) in
        switch rest {
        case "": return Product(name: "keychain:") { KeychainSessionStore() }
        #if canImport(AppKit) && !targetEnvironment(macCatalyst)
        case "login": return Product(name: "keychain:login") { KeychainSessionStore(kind: .fileBased) }
        default: throw StoreError(.unavailable, place: "keychain:", detail: "nothing but login may follow the colon")
        #else
        default: throw StoreError(.unavailable, place: "keychain:", detail: "nothing may follow the colon")
        #endif
        }
    }

    private static var keychainForm: String {
        #if canImport(AppKit) && !targetEnvironment(macCatalyst)
        "keychain: or keychain:login"
        #else
        "keychain:"
        #endif
    }
}
#endif
