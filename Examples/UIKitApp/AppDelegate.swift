// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import UIKit

/// The app, whose scenes are made by ``SceneDelegate``; Info.plist names it.
@main
final class AppDelegate: UIResponder, UIApplicationDelegate {}
