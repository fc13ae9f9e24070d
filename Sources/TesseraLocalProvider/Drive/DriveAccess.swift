// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// What a call may do: who calls for whom, and what it may see.
struct DriveAccess: Sendable {
    var clientID: String
    var account: LocalProviderAccount
    /// Whether every file is visible; otherwise only those that the client created.
    var seesEverything: Bool
    var pictureURL: String

    func sees(_ file: DriveFile) -> Bool { self.seesEverything || file.creatorID == self.clientID }
}
#endif
