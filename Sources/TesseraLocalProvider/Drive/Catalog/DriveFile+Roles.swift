// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
extension DriveFile {
    func isOwned(by account: LocalProviderAccount) -> Bool { self.ownerID ?? account.subject == account.subject }

    /// Whether the file was shared with this person, rather than with everybody.
    func isShared(with account: LocalProviderAccount) -> Bool {
        self.folderOwnerIDs.contains(account.subject) || self.effectivePermissions.contains { $0.names(account) }
    }

    /// What an account may do; nil when it may not even know of the file.
    func role(of account: LocalProviderAccount) -> DriveRole? {
        if self.isOwned(by: account) { return .owner }
        if self.folderOwnerIDs.contains(account.subject) { return .writer }
        return self.effectivePermissions.filter { $0.type == .anyone || $0.names(account) }.map(\.role).max()
    }

    /// Every permission, that of the owner first.
    func allPermissions(_ access: DriveAccess) -> [DrivePermission] {
        let owner = access.accounts.first { $0.subject == self.ownerID } ?? access.account
        return [DrivePermission(user: owner.email, accounts: access.accounts, role: .owner)]
            + self.effectivePermissions.filter { $0.email != owner.email }
    }

    /// The file's own permissions, and those of its folders where they name somebody else.
    private var effectivePermissions: [DrivePermission] {
        var seen: Set<String> = []
        return (self.permissions + self.inheritedPermissions).filter { seen.insert($0.id).inserted }
    }
}
#endif
