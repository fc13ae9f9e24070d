// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import TesseraGTMAppAuth
import TesseraGoogleSignIn

/// The four steps of Google's guide "Access Google APIs in an iOS app", with async/await.
///
/// - SeeAlso: https://developers.google.com/identity/sign-in/ios/api-access
struct FourSteps {
    static let driveScope = "https://www.googleapis.com/auth/drive.readonly"

    /// The URL that lists the files: Google Drive's or a local provider's.
    let files: URL
    /// The presenter of the sign-in page.
    let presenter: any SignInPresenter

    func run() async throws {
        let user = try await GIDSignIn.sharedInstance.signIn(withPresenting: self.presenter).user
        print("Signed in as \(user.profile?.email ?? "unknown user")")
        try await self.requestDrive(user)
        print("With the token: \(try await self.namesByToken(user))")
        print("With the authorizer: \(try await self.namesByAuthorizer(user))")
        try await GIDSignIn.sharedInstance.disconnect()
        print("Disconnected")
    }

    /// Step 1: check which scopes have been granted, and step 2: request the missing scope.
    private func requestDrive(_ user: GIDGoogleUser) async throws {
        let grantedScopes = user.grantedScopes ?? []
        guard !grantedScopes.contains(Self.driveScope) else { return print("Drive is granted already") }
        print("Drive is not granted yet")
        try await user.addScopes([Self.driveScope], presenting: self.presenter)
        guard user.grantedScopes?.contains(Self.driveScope) == true else { throw FourStepsError.driveUnticked }
        print("Drive is granted now")
    }

    /// Step 3: make an API call with a fresh token.
    private func namesByToken(_ user: GIDGoogleUser) async throws -> String {
        let user = try await user.refreshTokensIfNeeded()
        var request = URLRequest(url: self.files)
        request.setValue("Bearer \(user.accessToken.tokenString)", forHTTPHeaderField: "Authorization")
        let (data, _) = try await URLSession.shared.data(for: request)
        return try FileList(data).names
    }

    /// Step 4: let an authorizer add the token.
    private func namesByAuthorizer(_ user: GIDGoogleUser) async throws -> String {
        let service = GTMSessionFetcherService()
        service.authorizer = user.fetcherAuthorizer()
        service.allowLocalhostRequest = true
        return try FileList(try await service.fetcher(with: self.files).beginFetch()).names
    }
}
