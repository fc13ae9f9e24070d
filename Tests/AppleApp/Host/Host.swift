// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import SwiftUI

/// The host app of tests that require a keychain, which is available only to apps.
@main
struct Host: App {
    var body: some Scene {
        WindowGroup { Text("Host") }
    }
}
