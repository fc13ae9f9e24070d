// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
package import TesseraStores

/// What a ``KeychainHelper`` of ours stands on: secrets by the name of their service.
package protocol PasswordItems: Sendable {
    /// Whether the system's keychain has them.
    static var isKeychain: Bool { get }

    /// The secret, nil where there is none.
    func read(_ service: String) throws -> [UInt8]?

    /// Puts a secret in place of the one that is there; a keychain lets it be read as `accessibility` says.
    func write(_ secret: [UInt8], _ service: String, _ accessibility: KeychainAccessibility) throws

    /// Removes a secret.
    ///
    /// - Returns: whether there was one.
    func remove(_ service: String) throws -> Bool
}
