// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation

/// A page of Drive's files, as far as it is shown.
struct FileList: Decodable {
    struct File: Decodable {
        let name: String
    }

    let files: [File]

    init(_ data: Data) throws { self = try JSONDecoder().decode(FileList.self, from: data) }

    /// The files' names with commas between.
    var names: String { self.files.map(\.name).joined(separator: ", ") }
}
