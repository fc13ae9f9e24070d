// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import AppKit
import TesseraGoogleSignIn

/// Starts the app, and passes the URLs that the app is opened with to the sign-in.
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
