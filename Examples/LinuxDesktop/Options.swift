// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation

/// The command-line options.
struct Options {
    let clientFile: String
    private(set) var scheme: String?
    private(set) var drive = "https://www.googleapis.com/drive/v3"

    struct Usage: Error, LocalizedError {
        var errorDescription: String? {
            "usage: desktop-notes --client client_secret.json [--scheme com.example.notes] [--drive URL]"
        }
    }

    init(_ arguments: ArraySlice<String>) throws {
        var rest = arguments
        var clientFile: String?
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Usage() }
            switch name {
            case "--client": clientFile = value
            case "--scheme": self.scheme = value
            case "--drive": self.drive = value
            default: throw Usage()
            }
        }
        guard let clientFile else { throw Usage() }
        self.clientFile = clientFile
    }
}
