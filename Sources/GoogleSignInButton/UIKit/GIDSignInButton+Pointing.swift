// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(MessageUI)
internal import UIKit

extension GIDSignInButton {
    /// Shows the system's effect under the pointer on iPad and Mac, and in the user's gaze on Apple Vision.
    func addHoverEffect() {
        #if targetEnvironment(macCatalyst)
        self.addInteraction(UIPointerInteraction(delegate: nil))
        #else
        if #available(iOS 17, *) {
            self.hoverStyle = UIHoverStyle(shape: nil)
        } else {
            self.addInteraction(UIPointerInteraction(delegate: nil))
        }
        #endif
    }

    /// A button that cannot be pressed does not react to the pointer either.
    func setHoverEffect(isEnabled: Bool) {
        #if !targetEnvironment(macCatalyst)
        if #available(iOS 17, *) { self.hoverStyle?.isEnabled = isEnabled }
        #endif
    }
}
#endif
