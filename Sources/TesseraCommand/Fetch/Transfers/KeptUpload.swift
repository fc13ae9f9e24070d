// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera
internal import TesseraFetch
internal import TesseraStores
internal import TesseraSupport

/// What is left of an upload that was interrupted, in a file for this user alone: the session URI in it is a secret.
struct KeptUpload: Sendable {
    private let directory: String
    private let path: String

    /// The one of this file to this address by this account; nil where no home directory is known.
    init?(of file: String, to url: String, by account: Account) {
        guard let directory = UserPlaces.current.uploadDirectory else { return nil }
        let words = [account.issuer, account.clientID, account.subject, url, UserPlaces.absolute(file)]
        self.directory = directory
        self.path = directory + "/" + Hexadecimal.sha256(of: words.joined(separator: "\n")) + ".json"
    }

    /// What is left; nil where there is nothing that can be read.
    func load() async throws -> UploadState? {
        try await BlockingExecutor.shared.run {
            guard let bytes = try StoreError.mapping(FileSystem.contents(of: self.path, limit: 1 << 16)) else {
                return nil
            }
            return try? JSONDecoder().decode(UploadState.self, from: Data(bytes))
        }
    }

    func save(_ state: UploadState) async throws {
        let bytes = Array(try JSONEncoder().encode(state))
        try await BlockingExecutor.shared.run {
            try StoreError.mapping(FileSystem.makeDirectory(self.directory))
            try StoreError.mapping(FileSystem.replace(self.path, with: bytes))
        }
    }

    func remove() async throws {
        try await BlockingExecutor.shared.run { try StoreError.mapping(FileSystem.remove(self.path)) }
    }
}
#endif
