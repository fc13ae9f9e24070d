// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension DriveCatalog {
    /// A few files for a provider without a directory.
    static func samples(at time: Date) -> DriveCatalog {
        let texts = [
            ("Welcome.txt", "This file comes from the Tessera Local Provider. No real Drive is involved.\n"),
            ("Ingredients.csv", "name,grams\nflour,500\nwater,350\nsalt,10\n"),
            ("Travel notes.md", "# Travel notes\n\n- Pack light.\n- Leave early.\n- Write home.\n"),
        ]
        var catalog = DriveCatalog()
        for (name, text) in texts {
            catalog.add(
                DriveFile(
                    id: catalog.identifier(for: name),
                    name: name,
                    mimeType: MediaType.of(fileName: name),
                    createdTime: time,
                    modifiedTime: time,
                    content: .memory(Array(text.utf8))
                )
            )
        }
        return catalog
    }
}
#endif
