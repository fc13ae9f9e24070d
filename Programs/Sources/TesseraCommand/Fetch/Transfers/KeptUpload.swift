// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraFetch
internal import TesseraStores

/// What is left of an upload that was interrupted, in a file for this user alone: the session URI in it is a secret.
struct KeptUpload: Sendable {
    private let directory: String
    private let path: String

    /// The one of this file to this address by this account; nil where no home directory is known.
    init?(of file: String, to url: String, by account: Account) {
        guard let directory = UserDirectories.data.map({ $0 + "/uploads" }) else { return nil }
        let words = [account.issuer, account.clientID, account.subject, url, file.absolutePath]
        self.directory = directory
        self.path = directory + "/" + PrivateFile.name(for: words.joined(separator: "\n")) + ".json"
    }

    /// What is left; nil where there is nothing that can be read.
    func load() async throws -> UploadState? {
        try await FileBytes.blocking {
            guard let bytes = try PrivateFile.contents(of: self.path, limit: 1 << 16) else { return nil }
            return try? JSONDecoder().decode(UploadState.self, from: Data(bytes))
        }
    }

    func save(_ state: UploadState) async throws {
        let bytes = Array(try JSONEncoder().encode(state))
        try await FileBytes.blocking {
            try PrivateFile.makeDirectory(self.directory)
            try PrivateFile.write(bytes, to: self.path)
        }
    }

    func remove() async throws {
        try await FileBytes.blocking { try PrivateFile.remove(self.path) }
    }
}
