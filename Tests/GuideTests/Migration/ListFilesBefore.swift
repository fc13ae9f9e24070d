// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
internal import Foundation

// guide: google-auth-library-before
// before-imports: Dispatch Foundation OAuth2
func listFiles() throws {
    guard let provider = try BrowserTokenProvider(credentials: "google.json", token: "google-token.json") else {
        return print("There is no ~/.credentials/google.json.")
    }
    if provider.token == nil {
        try provider.signIn(scopes: ["profile", "https://www.googleapis.com/auth/drive.readonly"])
        try provider.saveToken("google-token.json")
    }
    let connection = try Connection(provider: provider)
    let done = DispatchSemaphore(value: 0)
    let files = "https://www.googleapis.com/drive/v3/files?pageSize=10"
    try connection.performRequest(method: "GET", urlString: files) { data, _, error in
        print(data.map { String(decoding: $0, as: UTF8.self) } ?? "\(String(describing: error))")
        done.signal()
    }
    done.wait()
}
// end
