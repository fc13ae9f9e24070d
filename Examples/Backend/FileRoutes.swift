// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import GoogleDriveV3
import Hummingbird
import HTTPTypes
import Tessera
import TesseraOAuth

/// The route that lists the user's files: `GET /files`, as a page for browsers or as JSON for apps.
struct FileRoutes: Sendable {
    let backend: Backend

    private struct Listing: ResponseEncodable {
        let files: [String]
    }

    func add(to router: Router<BasicRequestContext>) {
        router.get("files") { request, context in
            let wantsJSON = request.headers[.accept]?.contains("application/json") == true
            guard let subject = try await self.backend.visitors.subject(of: request),
                let session = try await self.backend.session(of: subject)
            else {
                if wantsJSON { throw HTTPError(.unauthorized, message: "Sign in first.") }
                return Response.redirect(to: "/sign-in?return_to=/files", type: .normal)
            }
            guard session.grantedScopes.contains(DriveV3.Scope.driveReadonly) else {
                if wantsJSON { throw HTTPError(.forbidden, message: "Access to Drive was not granted.") }
                return Page.notGranted.response(.forbidden)
            }
            let files = try await self.backend.files(of: session)
            if wantsJSON {
                return try Listing(files: files.map { $0.name ?? "" }).response(from: request, context: context)
            }
            return Page.files(files, session).response()
        }
    }
}
