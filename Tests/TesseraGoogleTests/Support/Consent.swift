// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import Tessera
internal import TesseraGoogle
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A user agent that consents immediately, with a scripted Google provider.
final class Consent: UserAgent {
    private static let key = Result { try JWSSigningKey.generate(.rs256) }
    private static let redirectURI = "http://127.0.0.1:5000/"

    private let claims: [String: String]
    private let scope: String
    private let requestParameters = Mutex<[FormParameter]>([])

    /// Creates a user agent whose ID token contains these claims.
    ///
    /// The values are JSON texts and override the default claims.
    init(claims: [String: String] = [:], scope: String = "openid email") {
        self.claims = claims
        self.scope = scope
    }

    /// The value of a parameter of the authorization request.
    func requestParameter(_ name: String) -> [String] {
        self.requestParameters.withLock { $0 }.filter { $0.name == name }.map(\.value)
    }

    func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver {
        RedirectReceiver(
            redirectURI: Self.redirectURI,
            present: { url in
                let query = url.absoluteString.drop { $0 != "?" }.dropFirst()
                self.requestParameters.withLock { $0 = FormParameter.parse(String(query)) }
            },
            nextRedirect: {
                let state = self.requestParameter("state").first ?? ""
                return Redirect(.redirect(Self.redirectURI + "?code=code&state=" + state)) { _ in }
            },
            close: {}
        )
    }

    /// The transport of the scripted provider.
    var transport: ScriptedTransport {
        ScriptedTransport { request in
            switch request.url {
            case "https://oauth2.googleapis.com/token": .json(try self.response())
            case "https://www.googleapis.com/oauth2/v3/certs":
                .json(JSONNode.object([JSONMember(name: "keys", value: [try Self.key.get().publicJWK])]).text())
            default: .status(.notFound)
            }
        }
    }

    private func response() throws -> String {
        var claims = [
            "iss": "\"https://accounts.google.com\"", "aud": "\"client\"", "sub": "\"subject\"", "exp": "1700003600",
            "iat": "1700000000", "nonce": "\"\(self.requestParameter("nonce").first ?? "")\"",
        ]
        claims.merge(self.claims) { $1 }
        let text = claims.filter { !$0.value.isEmpty }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
        let idToken = try Self.key.get().sign(payload: Array("{\(text)}".utf8))
        return """
            {"access_token":"a","token_type":"Bearer","expires_in":3599,"refresh_token":"r","scope":"\(self.scope)",\
            "id_token":"\(idToken)"}
            """
    }

    /// Signs in with these options.
    func signIn(
        _ provider: Provider? = nil,
        _ change: (inout SignInOptions) -> Void = { _ in }
    ) async throws -> OAuthSession {
        var options = SignInOptions()
        change(&options)
        let provider = try provider ?? .google(client: OAuthClient(clientID: "client", clientSecret: Secret("secret")))
        let runtime = OAuthRuntime.testing(transport: self.transport)
        return try await SignIn(provider, runtime: runtime, store: InMemoryStore(), userAgent: self)
            .signIn(scopes: [.openID, .email], options: options)
    }
}
