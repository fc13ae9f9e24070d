// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import AppKit
import TesseraGoogleSignIn

/// Creates the app's window and passes incoming URLs to `GIDSignIn`.
@main
final class AppDelegate: NSObject, NSApplicationDelegate {
    private var window: NSWindow?

    func applicationDidFinishLaunching(_ notification: Notification) {
        let window = NSWindow(contentViewController: FilesViewController())
        window.title = "Drive"
        window.center()
        window.makeKeyAndOrderFront(nil)
        self.window = window
    }

    func application(_ application: NSApplication, open urls: [URL]) {
        for url in urls { GIDSignIn.sharedInstance.handle(url) }
    }
}
