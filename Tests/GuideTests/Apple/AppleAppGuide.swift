// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Security)
internal import Tessera
internal import TesseraStores

/// What Docs/iOS.md shows of the keychain, which only Apple platforms have: Scripts/check-apple compiles it.
enum AppleAppGuide {
    static func sharedStore() -> KeychainSessionStore {
        // guide: ios-shared-store
        let store = KeychainSessionStore(accessGroup: "TEAMID.com.example.shared", appGroup: "group.com.example")
        // end
        return store
    }
}
#endif
