// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import GoogleDriveV3
import TesseraGoogle
import TesseraGoogleAPI
import TesseraOAuth

/// The files in a Workspace user's Drive, which are read with a service account that acts for the user.
struct UserFiles: Sendable {
    private let credentials: GoogleCredentials
    private let drive: DriveV3

    /// Creates the credentials, which are shared by all requests.
    ///
    /// No request is sent.
    init(_ settings: DelegatedDriveSettings) throws {
        let runtime = OAuthRuntime(transport: settings.transport)
        let options = GoogleCredentialsOptions(environment: settings.environment)
        // 1. The machine's service account. Its tokens come from the metadata server.
        let machine = try GoogleCredentials.metadataServer(options: options, runtime: runtime)
        // 2. The service account that the administrator permits to act for users. Google signs for it, without a key.
        self.credentials = try machine.impersonating(
            settings.serviceAccount,
            scopes: [DriveV3.Scope.driveMetadataReadonly],
            subject: settings.user
        )
        // 3. The typed client. It sends the token of the user's account.
        self.drive = DriveV3(credentials: self.credentials)
    }

    /// Requests a token, to find configuration errors.
    func check() async throws { _ = try await self.credentials.accessToken() }

    /// Returns the names of the files, in alphabetical order.
    func names() async throws -> [String] {
        var names: [String] = []
        for try await file in self.drive.files.list(orderBy: "name", pageSize: 100).items {
            names.append(file.name ?? "–")
        }
        return names
    }
}
