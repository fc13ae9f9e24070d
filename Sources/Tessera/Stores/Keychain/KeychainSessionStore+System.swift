// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Security)
extension KeychainSessionStore {
    /// Which of macOS's keychains.
    public enum Kind: Sendable, Hashable {
        /// The only one of iOS; on macOS for programs that are signed with an access group.
        case dataProtection
        /// The login keychain of macOS, which any program may use.
        case fileBased
    }

    /// A store in the system's keychain.
    ///
    /// - Parameters:
    ///   - service: the items' service; two programs with different services do not see each other's sessions.
    ///   - kind: which keychain.
    ///   - accessGroup: shares the items with other programs of the same team; with nil an item is added to the
    ///     program's first group, and found in any of its groups.
    ///   - accessibility: when the items can be read; the file-based keychain does not know it.
    ///   - lockDirectory: where the lock files lie, the same for all programs that share the items; nil is a directory
    ///     of this user's.
    ///   - lockTimeout: how long an update may wait for others before it fails with `busy`.
    public convenience init(
        service: String = "dev.tessera.sessions",
        kind: Kind = .dataProtection,
        accessGroup: String? = nil,
        accessibility: KeychainAccessibility = .afterFirstUnlock,
        lockDirectory: String? = nil,
        lockTimeout: Duration = .seconds(60)
    ) {
        self.init(
            SystemKeychain(),
            place: KeychainPlace(
                usesDataProtection: kind == .dataProtection,
                accessGroup: accessGroup,
                accessibility: accessibility
            ),
            service: service,
            lockDirectory: LockDirectory(path: UserPlaces.absolute(lockDirectory ?? UserPlaces.lockDirectory)),
            lockTimeout: lockTimeout
        )
    }
}
#endif
