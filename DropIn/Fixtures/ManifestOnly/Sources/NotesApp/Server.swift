// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation

/// The addresses of the app's own server.
enum Server {
    static let redirectURL = URL(string: "com.example.notes:/callback") ?? URL(fileURLWithPath: "/")

    static func url(_ path: String) -> URL {
        URL(string: "https://notes.example.com/\(path)") ?? URL(fileURLWithPath: "/")
    }
}
