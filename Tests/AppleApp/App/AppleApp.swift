// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import AppProducts
internal import SwiftUI

/// An app that links the products of Tessera for apps.
@main
struct AppleApp: App {
    var body: some Scene {
        WindowGroup { Text("\(AppProducts.types.count) products") }
    }
}
