// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(GoogleSignIn)
internal import AppAuthCore
internal import Foundation
internal import GTMAppAuth
internal import GoogleSignIn

/// Stores a session with the classes of GoogleSignIn, as at the end of a sign-in.
public enum Ancestor {
    /// The name of the keychain item in which GoogleSignIn stores its session.
    public static let itemName = "auth"

    /// Stores an `AuthSession` with an `OIDAuthState` in GTMAppAuth's `KeychainStore`, like `GIDSignIn`.
    @MainActor
    public static func store(clientID: String, refreshToken: String, idToken: String, scope: String) throws {
        // Trigger the removal of the item on the first use after installation.
        _ = GIDSignIn.sharedInstance
        guard let authorizationEndpoint = URL(string: "https://accounts.google.com/o/oauth2/v2/auth"),
            let tokenEndpoint = URL(string: "https://oauth2.googleapis.com/token"),
            let redirectURL = URL(string: "com.googleusercontent.apps.test:/oauth2callback")
        else { throw CocoaError(.featureUnsupported) }
        let configuration = OIDServiceConfiguration(
            authorizationEndpoint: authorizationEndpoint,
            tokenEndpoint: tokenEndpoint
        )
        let request = OIDAuthorizationRequest(
            configuration: configuration,
            clientId: clientID,
            scopes: scope.split(separator: " ").map(String.init),
            redirectURL: redirectURL,
            responseType: OIDResponseTypeCode,
            additionalParameters: nil
        )
        let response = OIDAuthorizationResponse(
            request: request,
            parameters: ["code": "code" as NSString, "state": (request.state ?? "") as NSString]
        )
        guard let tokenRequest = response.tokenExchangeRequest() else { throw CocoaError(.featureUnsupported) }
        let tokens = OIDTokenResponse(
            request: tokenRequest,
            parameters: [
                "access_token": "access" as NSString,
                "expires_in": 3600 as NSNumber,
                "refresh_token": refreshToken as NSString,
                "id_token": idToken as NSString,
                "scope": scope as NSString,
                "token_type": "Bearer" as NSString,
            ]
        )
        let state = OIDAuthState(authorizationResponse: response, tokenResponse: tokens)
        try KeychainStore(itemName: Self.itemName).save(authSession: AuthSession(authState: state))
    }

    /// Whether GoogleSignIn itself finds a session.
    @MainActor
    public static var hasPreviousSignIn: Bool { GIDSignIn.sharedInstance.hasPreviousSignIn() }

    /// Removes the keychain item.
    public static func remove() throws { try KeychainStore(itemName: Self.itemName).removeAuthSession() }
}
#endif
