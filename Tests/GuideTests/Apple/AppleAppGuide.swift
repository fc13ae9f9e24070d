// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Security)
internal import Tessera
internal import TesseraStores

/// The code for the keychain in Docs/iOS.md, which `Scripts/check-apple` compiles for Apple platforms.
enum AppleAppGuide {
    static func sharedStore() -> KeychainSessionStore {
        // guide: ios-shared-store
        let store = KeychainSessionStore(accessGroup: "TEAMID.com.example.shared", appGroup: "group.com.example")
        // end
        return store
    }
}
#endif
