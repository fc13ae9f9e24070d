// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import TesseraGoogleSignIn
import UIKit

/// Starts the app, and gives the sign-in the URLs that the app is opened with.
@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let window = UIWindow()
        window.rootViewController = UINavigationController(rootViewController: FilesViewController(style: .plain))
        window.makeKeyAndVisible()
        self.window = window
        return true
    }

    func application(
        _ app: UIApplication,
        open url: URL,
        options: [UIApplication.OpenURLOptionsKey: Any]
    ) -> Bool {
        GIDSignIn.sharedInstance.handle(url)
    }
}
