// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import AppProducts
internal import SwiftUI

/// An app that links what apps use of Tessera, and the host of the tests that need a keychain.
@main
struct AppleApp: App {
    var body: some Scene {
        WindowGroup { Text("\(AppProducts.types.count) products") }
    }
}
