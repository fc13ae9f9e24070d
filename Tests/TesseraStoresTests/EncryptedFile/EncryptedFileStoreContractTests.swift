// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraStores
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Session store contract in encrypted files")
struct EncryptedFileStoreContractTests {
    @Test(
        "The encrypted file store fulfills the session store contract",
        .covers(115),
        arguments: SessionStoreContract.all
    )
    func files(requirement: SessionStoreContract) async throws {
        let folder = try StoreFolder()
        try await requirement.verify(folder.open())
    }

    @Test(
        "Two file stores on one directory fulfill the session store contract",
        .covers(116),
        arguments: SessionStoreContract.all
    )
    func twoInstances(requirement: SessionStoreContract) async throws {
        let folder = try StoreFolder()
        try await requirement.verify(AlternatingStore(folder.open(), folder.open()))
    }
}
