// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import Tessera
package import TesseraStores

/// Where in the keychain items are.
public final class KeychainAttribute: NSObject, Sendable {
    /// What an attribute says.
    public enum Attribute: Sendable, Hashable {
        /// The login keychain of macOS in place of the data-protection keychain; nothing on other systems.
        case useFileBasedKeychain
        /// Items that programs of one access group share; on systems without a keychain, programs that name the same one.
        case accessGroup(String)

        /// What the keychain calls it.
        public var keyName: String {
            switch self {
            case .useFileBasedKeychain: KeychainNames.usesDataProtection
            case .accessGroup: KeychainNames.accessGroup
            }
        }
    }

    /// What it says.
    public let attribute: Attribute

    /// An attribute.
    public init(attribute: Attribute) {
        self.attribute = attribute
        super.init()
    }

    /// The login keychain of macOS.
    public static let useFileBasedKeychain = KeychainAttribute(attribute: .useFileBasedKeychain)

    /// The items of an access group.
    public static func keychainAccessGroup(name: String) -> KeychainAttribute {
        KeychainAttribute(attribute: .accessGroup(name))
    }

    override public func isEqual(_ object: Any?) -> Bool { (object as? KeychainAttribute)?.attribute == self.attribute }
    override public var hash: Int { self.attribute.hashValue }
}

extension Set<KeychainAttribute> {
    /// The access group; nil where none is named.
    var accessGroup: String? {
        for case .accessGroup(let name) in self.map(\.attribute) { return name }
        return nil
    }

    /// The place that the attributes name.
    ///
    /// Only macOS has a file-based keychain.
    package var place: KeychainPlace {
        KeychainPlace(
            usesDataProtection: !self.contains(.useFileBasedKeychain),
            accessGroup: self.accessGroup,
            accessibility: .ancestors
        )
    }
}
