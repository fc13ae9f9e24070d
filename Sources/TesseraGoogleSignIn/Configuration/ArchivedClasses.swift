// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// The classes whose archives Google's library writes, under the names of its own classes.
enum ArchivedClasses {
    /// Lets `NSKeyedUnarchiver` find this module's classes under the names of Google's library.
    ///
    /// If the app also contains that library, its classes keep their names.
    static func register() { self.registration }

    private static let registration: Void = {
        let classes: [(name: String, type: AnyClass)] = [
            ("GIDConfiguration", GIDConfiguration.self), ("GIDGoogleUser", GIDGoogleUser.self),
            ("GIDProfileData", GIDProfileData.self), ("GIDToken", GIDToken.self),
        ]
        for known in classes where NSClassFromString(known.name) == nil {
            NSKeyedUnarchiver.setClass(known.type, forClassName: known.name)
        }
    }()
}
