// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import SwiftUI

/// The host of tests that need a keychain, which only an app has.
@main
struct Host: App {
    var body: some Scene {
        WindowGroup { Text("Host") }
    }
}
