// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// What a call may do: who calls for whom, and what it may see.
struct DriveAccess: Sendable {
    var clientID: String
    var account: LocalProviderAccount
    /// Everybody who has a Drive here.
    var accounts: [LocalProviderAccount]
    /// Whether every file of the account is visible.
    var seesEverything: Bool
    /// Whether the files are visible that the client created.
    var seesOwnFiles: Bool
    /// Whether the folder of the client's own data is visible.
    var seesApplicationData: Bool
    var pictureURL: String

    func sees(_ file: DriveFile) -> Bool {
        if file.isApplicationData {
            return self.seesApplicationData && file.creatorID == self.clientID && file.isOwned(by: self.account)
        }
        return (self.seesEverything || self.seesOwnFiles && file.creatorID == self.clientID)
            && file.role(of: self.account) != nil
    }

    /// Whether a list shows a file: one for everybody who has the link is in nobody's list.
    func lists(_ file: DriveFile) -> Bool {
        self.sees(file) && (file.isOwned(by: self.account) || file.isShared(with: self.account))
    }

    /// Throws when the caller's role at a file is less than `role`.
    func require(_ role: DriveRole, _ file: DriveFile) throws(APIFailure) {
        guard let own = file.role(of: self.account), own >= role, file.id != DriveFile.rootID else {
            throw .forbidden(
                "insufficientFilePermissions",
                "The user does not have sufficient permissions for this file."
            )
        }
    }
}
#endif
