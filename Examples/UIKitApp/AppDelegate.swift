// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import UIKit

/// The app delegate.
///
/// Info.plist names ``SceneDelegate``, which creates the window.
@main
final class AppDelegate: UIResponder, UIApplicationDelegate {}
