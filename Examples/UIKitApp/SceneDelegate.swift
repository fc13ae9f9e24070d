// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import TesseraGoogleSignIn
import UIKit

/// Creates the window of a scene and passes incoming URLs to `GIDSignIn`.
final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let scene = scene as? UIWindowScene else { return }
        let window = UIWindow(windowScene: scene)
        window.rootViewController = UINavigationController(rootViewController: FilesViewController(style: .plain))
        window.makeKeyAndVisible()
        self.window = window
        // The URLs that launched the app.
        self.handle(connectionOptions.urlContexts)
    }

    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {
        self.handle(URLContexts)
    }

    private func handle(_ contexts: Set<UIOpenURLContext>) {
        for context in contexts { GIDSignIn.sharedInstance.handle(context.url) }
    }
}
