// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraJSON

/// A call of Drive's files.list, and its answer as a table.
struct DriveFiles: Sendable {
    static let scope: Scope = "https://www.googleapis.com/auth/drive.readonly"

    let rows: [[String]]

    /// Asks for the files' list.
    ///
    /// - Throws: ``BearerChallengeError`` where the scope is missing.
    static func list(_ session: OAuthSession, at baseURL: String) async throws -> DriveFiles {
        let url = "\(baseURL)/drive/v3/files?pageSize=20&fields=files(name,mimeType,size,modifiedTime)"
        let bytes = try await session.fetcher.data(for: try HTTPRequest(url: url))
        let files = try JSONValue(parsing: bytes)["files"]?.elements.map(Array.init) ?? []
        return DriveFiles(
            rows: [["NAME", "SIZE", "CHANGED", "TYPE"]]
                + files.map { file in
                    [
                        file["name"]?.string ?? "–",
                        file["size"]?.string ?? "–",
                        String((file["modifiedTime"]?.string ?? "–").prefix(10)),
                        file["mimeType"]?.string ?? "–",
                    ]
                }
        )
    }

    var count: Int { self.rows.count - 1 }
}
