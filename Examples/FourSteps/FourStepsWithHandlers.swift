// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import TesseraGTMAppAuth
import TesseraGoogleSignIn

/// The four steps of Google's guide "Access Google APIs in an iOS app", with completion handlers.
///
/// The handlers are called on the main queue.
@MainActor
final class FourStepsWithHandlers {
    private let files: URL
    private let presenter: any SignInPresenter
    private let service = GTMSessionFetcherService()
    /// A handler that receives the first error, or nil after the last step.
    private let completion: (Error?) -> Void

    init(files: URL, presenter: any SignInPresenter, completion: @escaping (Error?) -> Void) {
        self.files = files
        self.presenter = presenter
        self.completion = completion
        self.service.allowLocalhostRequest = true
    }

    func start() {
        GIDSignIn.sharedInstance.signIn(withPresenting: self.presenter) { signInResult, error in
            guard let user = signInResult?.user else { return self.completion(error) }
            print("Signed in as \(user.profile?.email ?? "unknown user")")
            self.requestDrive(user)
        }
    }

    /// Step 1: check which scopes have been granted, and step 2: request the missing scope.
    private func requestDrive(_ user: GIDGoogleUser) {
        let driveScope = FourSteps.driveScope
        let grantedScopes = user.grantedScopes
        if let grantedScopes, grantedScopes.contains(driveScope) {
            print("Drive is granted already")
            return self.listWithToken(user)
        }
        print("Drive is not granted yet")
        user.addScopes([driveScope], presenting: self.presenter) { signInResult, error in
            guard error == nil, let user = signInResult?.user else { return self.completion(error) }
            guard user.grantedScopes?.contains(driveScope) == true else {
                return self.completion(FourStepsError.driveUnticked)
            }
            print("Drive is granted now")
            self.listWithToken(user)
        }
    }

    /// Step 3: make an API call with a fresh token.
    private func listWithToken(_ user: GIDGoogleUser) {
        user.refreshTokensIfNeeded { user, error in
            guard error == nil, let user else { return self.completion(error) }
            var request = URLRequest(url: self.files)
            request.setValue("Bearer \(user.accessToken.tokenString)", forHTTPHeaderField: "Authorization")
            let task = URLSession.shared.dataTask(with: request) { data, _, error in
                Task { @MainActor in
                    guard let data else { return self.completion(error) }
                    self.report("With the token", data)
                    self.listWithAuthorizer(user)
                }
            }
            task.resume()
        }
    }

    /// Step 4: let an authorizer add the token.
    private func listWithAuthorizer(_ user: GIDGoogleUser) {
        self.service.authorizer = user.fetcherAuthorizer
        self.service.fetcher(with: self.files)
            .beginFetch { data, error in
                guard let data, error == nil else { return self.completion(error) }
                self.report("With the authorizer", data)
                self.disconnect()
            }
    }

    private func disconnect() {
        GIDSignIn.sharedInstance.disconnect { error in
            if error == nil { print("Disconnected") }
            self.completion(error)
        }
    }

    private func report(_ how: String, _ data: Data) {
        print("\(how): \((try? FileList(data).names) ?? "not a list of files")")
    }
}
