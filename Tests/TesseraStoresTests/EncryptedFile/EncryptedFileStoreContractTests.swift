// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraStores
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("The contract of encrypted file stores")
struct EncryptedFileStoreContractTests {
    @Test("The encrypted file store keeps the contract", .covers(115), arguments: SessionStoreContract.all)
    func files(sentence: SessionStoreContract) async throws {
        let folder = try StoreFolder()
        try await sentence.verify(folder.open())
    }

    @Test(
        "Two file stores on one directory keep the contract between them",
        .covers(116),
        arguments: SessionStoreContract.all
    )
    func twoInstances(sentence: SessionStoreContract) async throws {
        let folder = try StoreFolder()
        try await sentence.verify(AlternatingStore(folder.open(), folder.open()))
    }
}
