// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import GoogleDriveV3
internal import TesseraCommand
internal import TesseraGoogleAPI

/// The file that a person means by an identifier or a name.
enum DriveLookup {
    static func file(_ text: String, _ drive: DriveV3) async throws -> DriveV3.File {
        do {
            return try await drive.files.get(fileId: text, supportsAllDrives: true).fields("id,name,size,mimeType")
                .execute()
        } catch let error as GoogleAPIError where error.httpStatus == 404 {
            return try await Self.named(text, drive)
        }
    }

    private static func named(_ name: String, _ drive: DriveV3) async throws -> DriveV3.File {
        let list = try await drive.files.list(pageSize: 10, q: DriveQuery.named(name))
            .fields("files(id,name,size,mimeType)").execute()
        let files = list.files ?? []
        guard let first = files.first else {
            throw CommandError(
                "notFound",
                "The Drive has no file of the name or identifier “\(name)”",
                "'tessera drive ls' lists what the granted scopes may see.",
                status: .refused
            )
        }
        guard files.count == 1 else {
            let identifiers = files.compactMap(\.id).joined(separator: ", ")
            throw CommandError.usage(
                "Several files are called “\(name)”",
                "Name one by its identifier: \(identifiers)."
            )
        }
        return first
    }
}
