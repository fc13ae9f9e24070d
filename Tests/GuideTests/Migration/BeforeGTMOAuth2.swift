// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The program before its migration.
enum BeforeGTMOAuth2 {
    // guide: gtmoauth2-before
    // before-imports: Foundation GTMOAuth2
    final class CalendarAccess {
        private let authorization = GTMOAuth2ViewControllerTouch.authForGoogleFromKeychain(
            forName: "Example: Calendar",
            clientID: "1.apps.googleusercontent.com",
            clientSecret: "secret"
        )

        var email: String? { self.authorization.canAuthorize ? self.authorization.userEmail : nil }

        func authorize(_ request: NSMutableURLRequest, done: @escaping ((any Error)?) -> Void) {
            self.authorization.authorizeRequest(request, completionHandler: done)
        }

        func signOut() {
            GTMOAuth2ViewControllerTouch.removeAuthFromKeychain(forName: "Example: Calendar")
        }
    }
    // end
}
