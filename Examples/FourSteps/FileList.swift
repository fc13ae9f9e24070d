// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation

/// The names in a page of Drive files.
struct FileList: Decodable {
    struct File: Decodable {
        let name: String
    }

    let files: [File]

    init(_ data: Data) throws { self = try JSONDecoder().decode(FileList.self, from: data) }

    /// The names of the files, separated by commas.
    var names: String { self.files.map(\.name).joined(separator: ", ") }
}
