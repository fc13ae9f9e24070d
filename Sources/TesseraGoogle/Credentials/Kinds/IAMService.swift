// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// The methods of the IAM Service Account Credentials API for one service account.
///
/// - SeeAlso: [IAM Service Account Credentials API](https://cloud.google.com/iam/docs/reference/credentials/rest)
struct IAMService: Sendable {
    /// The scope that the methods require.
    static let scope: Scope = "https://www.googleapis.com/auth/iam"

    /// The email address of the service account.
    let account: String
    /// The project whose quota is charged, or nil.
    var quotaProject: String?

    /// Calls a method, at `url` if it is given and otherwise at the method's own URL.
    func send(
        _ method: String,
        _ body: JSONNode,
        token: AccessToken,
        at url: Endpoint? = nil,
        secrets: [Secret] = [],
        _ client: CredentialClient
    ) async throws -> ServiceResponse {
        let account = self.account.split(separator: "@", omittingEmptySubsequences: false)
            .map { PercentEncoding.encode(String($0)) }.joined(separator: "@")
        let path = "/v1/projects/-/serviceAccounts/\(account):\(method)"
        let endpoint = try url ?? client.trust.service("iamcredentials", path: path)
        var request = ServiceRequest("iam_\(method)", server: "The IAM service", url: endpoint)
        request.authorize(with: token, quotaProject: self.quotaProject)
        request.post(body)
        request.secrets += secrets
        return try await client.response(to: request)
    }

    /// Signs bytes with a key that Google manages.
    func sign(
        _ bytes: [UInt8],
        delegates: JSONNode?,
        token: AccessToken,
        _ client: CredentialClient
    ) async throws -> GoogleSignature {
        let body: KeyValuePairs<String, JSONNode?> = [
            "payload": .string(Base64.encode(bytes)), "delegates": delegates,
        ]
        let fields = try await self.send("signBlob", .object(present: body), token: token, client)
            .fields("the response of signBlob")
        guard let signature = Base64.decode(Array(try fields.requiredString("signedBlob").utf8)) else {
            throw fields.violation("signedBlob in base64", nil)
        }
        return GoogleSignature(keyID: try fields.string("keyId"), bytes: signature)
    }

    /// Signs claims as a JWT with a key that Google manages.
    func signJWT(
        _ claims: JSONNode,
        delegates: JSONNode?,
        token: AccessToken,
        _ client: CredentialClient
    ) async throws -> Secret {
        let body: KeyValuePairs<String, JSONNode?> = ["delegates": delegates, "payload": .string(claims.text())]
        let fields = try await self.send("signJwt", .object(present: body), token: token, client)
            .fields("the response of signJwt")
        return Secret(try fields.requiredString("signedJwt"))
    }
}
