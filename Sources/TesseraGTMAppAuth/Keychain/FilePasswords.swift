// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
package import TesseraStores

/// The ancestor's items on systems without a keychain: encrypted files, see `SealedItems`.
///
/// Where a keychain asks which program it is, the name says it: two programs of one person may call their items alike.
package struct FilePasswords: PasswordItems {
    package static let isKeychain = false

    private let items: SealedItems
    private let owner: String

    /// The items of a program, or of all that name the same access group.
    package init(_ items: SealedItems, _ attributes: Set<KeychainAttribute>, program: String = Self.program) {
        self.items = items
        self.owner = attributes.accessGroup.map { "group:" + $0 } ?? "program:" + program
    }

    /// The bundle's identifier, else the executable's name.
    package static var program: String { Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName }

    package func read(_ service: String) throws -> [UInt8]? { try self.items.read(self.name(service)) }

    /// A file has no accessibility.
    package func write(_ secret: [UInt8], _ service: String, _ accessibility: KeychainAccessibility) throws {
        try self.items.write(secret, as: self.name(service))
    }

    package func remove(_ service: String) throws -> Bool { try self.items.remove(self.name(service)) }

    private func name(_ service: String) -> String { "OAuth\u{0}\(self.owner)\u{0}\(service)" }
}
