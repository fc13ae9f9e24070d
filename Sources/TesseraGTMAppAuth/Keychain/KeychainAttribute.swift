// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import Tessera
package import TesseraStores

/// An attribute that determines the keychain in which items are stored.
public final class KeychainAttribute: NSObject, Sendable {
    /// The kinds of attributes.
    public enum Attribute: Sendable, Hashable {
        /// Selects the macOS login keychain instead of the data protection keychain.
        ///
        /// This attribute is ignored on other platforms.
        case useFileBasedKeychain
        /// Shares items with all apps in an access group.
        ///
        /// On platforms without a keychain, all apps that use the same name share the items.
        case accessGroup(String)

        /// The attribute's name in the keychain.
        public var keyName: String {
            switch self {
            case .useFileBasedKeychain: KeychainNames.usesDataProtection
            case .accessGroup: KeychainNames.accessGroup
            }
        }
    }

    /// The kind of attribute.
    public let attribute: Attribute

    /// Creates an attribute.
    public init(attribute: Attribute) {
        self.attribute = attribute
        super.init()
    }

    /// Selects the macOS login keychain.
    public static let useFileBasedKeychain = KeychainAttribute(attribute: .useFileBasedKeychain)

    /// Returns an attribute that selects an access group's items.
    public static func keychainAccessGroup(name: String) -> KeychainAttribute {
        KeychainAttribute(attribute: .accessGroup(name))
    }

    override public func isEqual(_ object: Any?) -> Bool { (object as? KeychainAttribute)?.attribute == self.attribute }
    override public var hash: Int { self.attribute.hashValue }
}

extension Set<KeychainAttribute> {
    /// The access group, or nil if none is specified.
    var accessGroup: String? {
        for case .accessGroup(let name) in self.map(\.attribute) { return name }
        return nil
    }

    /// The keychain location that the attributes specify.
    ///
    /// Only macOS has a file-based keychain.
    package var location: KeychainLocation {
        KeychainLocation(
            usesDataProtection: !self.contains(.useFileBasedKeychain),
            accessGroup: self.accessGroup,
            accessibility: .ancestors
        )
    }
}
