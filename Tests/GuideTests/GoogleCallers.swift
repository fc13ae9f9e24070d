// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraGoogle
internal import TesseraOAuth

// guide: google-token-service
// imports: HTTPTypes TesseraGoogle TesseraOAuth
/// Accepts calls from other services.
struct ReportsService {
    private let verifier: GoogleIDTokenVerifier
    private let callers: Set<String>

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - url: The URL of this service, which callers use as the audience.
    ///   - callers: The email addresses of the service accounts that are permitted.
    ///   - runtime: The transport that fetches Google's keys.
    /// - Throws: `InvalidRequestError` if the URL is empty.
    init(url: String, callers: Set<String>, runtime: OAuthRuntime) throws {
        self.verifier = GoogleIDTokenVerifier(try .google(audiences: [url]), runtime: runtime)
        self.callers = callers
    }

    /// Returns the service account that sent a request, or nil if it is not permitted.
    func caller(of request: HTTPRequest) async throws -> String? {
        let token = try await self.verifier.verify(PresentedAccessToken(request).token)
        guard token.emailVerified == true, let email = token.email else { return nil }
        return self.callers.contains(email) ? email : nil
    }
}
// end

// guide: google-token-response
/// Returns the response to a request whose token was not accepted.
func rejection(for error: any Error) -> HTTPResponse {
    let rejection = (error as? AccessTokenError) ?? (error as? ProtocolViolationError).flatMap { AccessTokenError($0) }
    // Google's keys could not be fetched. The request may succeed later.
    guard let rejection else { return HTTPResponse(status: .serviceUnavailable) }
    var response = HTTPResponse(status: .init(code: rejection.status))
    response.headerFields[.wwwAuthenticate] = rejection.challenge()
    return response
}
// end

// guide: google-token-push
// imports: HTTPTypes TesseraGoogle TesseraOAuth
/// Receives the messages of a Pub/Sub subscription.
struct OrdersEndpoint {
    private let verifier: GoogleIDTokenVerifier

    /// Creates the endpoint.
    init(runtime: OAuthRuntime) throws {
        self.verifier = GoogleIDTokenVerifier(
            try .pushRequest(
                audience: "https://orders.example.com/push",
                serviceAccount: "push@my-project.iam.gserviceaccount.com"
            ),
            runtime: runtime
        )
    }

    /// Throws an error unless the subscription sent the request.
    func check(_ request: HTTPRequest) async throws {
        _ = try await self.verifier.verify(PresentedAccessToken(request).token)
    }
}
// end

// guide: google-token-proxy
// imports: HTTPTypes TesseraGoogle TesseraOAuth
/// Serves users that Identity-Aware Proxy has signed in.
struct AdminPages {
    private let verifier: GoogleIDTokenVerifier

    /// Creates the pages for an audience, such as `/projects/123/global/backendServices/456`.
    init(audience: String, runtime: OAuthRuntime) throws {
        self.verifier = GoogleIDTokenVerifier(try .identityAwareProxy(audience: audience), runtime: runtime)
    }

    /// Returns the user who sent a request.
    func user(of request: HTTPRequest) async throws -> GoogleIDToken {
        guard let field = HTTPField.Name("x-goog-iap-jwt-assertion"), let assertion = request.headerFields[field] else {
            throw AccessTokenError.noToken
        }
        return try await self.verifier.verify(Secret(assertion))
    }
}
// end

// guide: google-token-firebase
// imports: HTTPTypes TesseraGoogle TesseraOAuth
/// Serves the users of a Firebase app.
struct GameServer {
    private let verifier: GoogleIDTokenVerifier

    /// Creates the server for a Firebase project.
    init(projectID: String, runtime: OAuthRuntime) throws {
        self.verifier = GoogleIDTokenVerifier(try .firebase(projectID: projectID), runtime: runtime)
    }

    /// Returns the Firebase ID of the user who sent a request.
    func player(of request: HTTPRequest) async throws -> String {
        try await self.verifier.verify(PresentedAccessToken(request).token).subject
    }
}
// end
