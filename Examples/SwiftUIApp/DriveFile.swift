// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation
import TesseraGTMAppAuth
import TesseraGoogleSignIn

/// A file in a user's Drive.
struct DriveFile: Decodable, Identifiable, Sendable {
    /// The scope that the user has to grant.
    static let scope = "https://www.googleapis.com/auth/drive.readonly"

    let id: String
    let name: String

    /// Returns the first page of the user's files, refreshing the token first if necessary.
    static func list(of user: GIDGoogleUser) async throws -> [DriveFile] {
        let service = GTMSessionFetcherService()
        service.authorizer = user.fetcherAuthorizer()
        let fetcher = service.fetcher(withURLString: "https://www.googleapis.com/drive/v3/files?fields=files(id,name)")
        return try JSONDecoder().decode(Page.self, from: try await fetcher.beginFetch()).files
    }

    private struct Page: Decodable {
        let files: [DriveFile]
    }
}
