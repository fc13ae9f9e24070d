// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// When sessions in a data-protection keychain can be read, and whether they move to another device.
///
/// - SeeAlso: [Restricting keychain item accessibility](https://developer.apple.com/documentation/security/restricting-keychain-item-accessibility)
public enum KeychainAccessibility: String, Sendable, Hashable, CaseIterable {
    /// From the first unlocking after a start of the device: also in the background. Moves with an encrypted backup.
    case afterFirstUnlock
    /// The same, on this device alone.
    case afterFirstUnlockThisDeviceOnly
    /// While the device is unlocked. Moves with an encrypted backup.
    case whenUnlocked
    /// The same, on this device alone.
    case whenUnlockedThisDeviceOnly
    /// While the device is unlocked, on this device alone, and only while it has a passcode: removing the passcode deletes
    /// the item.
    case whenPasscodeSetThisDeviceOnly

    /// Whether items can only be read while the device is unlocked, not also after it was locked again.
    package var needsUnlockedDevice: Bool {
        switch self {
        case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: false
        case .whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly: true
        }
    }
}
