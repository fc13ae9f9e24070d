// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import GoogleDriveV3
internal import TesseraCommand
internal import TesseraGoogleAPI
internal import TesseraJSON

/// `tessera drive rm`.
struct DriveRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Puts a file into the trash, or deletes it for good.",
        discussion: """
            Examples:
              tessera drive rm ID
              tessera drive rm ID --permanently
            """
    )

    @Argument(help: ArgumentHelp("The file's identifier; a name is not enough here.", valueName: "id"))
    var id: String

    @Flag(help: "Delete it at once, and all that is in it, without a way back.")
    var permanently = false

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await self.connection.connect { connection in
            let drive: DriveV3 = connection.client()
            if self.permanently {
                try await drive.files.delete(fileId: self.id, supportsAllDrives: true).execute()
            } else {
                try await drive.files
                    .update(
                        DriveV3.File { $0.trashed = true },
                        fileId: self.id,
                        supportsAllDrives: true
                    )
                    .fields("id").execute()
            }
        }
        let word = self.permanently ? "deleted" : "trashed"
        self.output.result(
            ["id": .string(self.id), "outcome": .string(word)],
            "\(self.id) \(word)"
        )
    }
}
