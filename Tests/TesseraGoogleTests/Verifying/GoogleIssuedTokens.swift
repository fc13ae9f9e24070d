// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraGoogle
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

/// A kind of token that Google issues, with a key of the tests.
struct IssuedToken: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// The URL of the keys.
    let keySetURL: String
    let key: Result<JWSSigningKey, any Error>
    /// The claims of a valid token, as JSON texts.
    let claims: [String: String]
    let policy: @Sendable () throws -> GoogleIDTokenPolicy

    /// Returns a token with these changes to the claims, of which an empty text removes a claim.
    func token(
        _ changes: [String: String] = [:],
        key: Result<JWSSigningKey, any Error>? = nil,
        type: String? = "JWT",
        header: [JSONMember] = []
    ) throws -> Secret {
        Secret(try (key ?? self.key).get().sign(payload: self.payload(changes), type: type, header: header))
    }

    /// Returns the payload of a token.
    func payload(_ changes: [String: String] = [:]) -> [UInt8] {
        let claims = self.claims.merging(changes) { $1 }.filter { !$0.value.isEmpty }
        return Array("{\(claims.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}".utf8)
    }

    static func key(_ algorithm: JWSAlgorithm, _ keyID: String) -> Result<JWSSigningKey, any Error> {
        Result {
            var key = try JWSSigningKey.generate(algorithm)
            key.keyID = keyID
            return key
        }
    }

    private static let times = ["iat": "1700000000", "exp": "1700003600"]
    private static let googleKey = Self.key(.rs256, "google")

    static let robot = "robot@project.iam.gserviceaccount.com"

    static let google = IssuedToken(
        testDescription: "Google account",
        keySetURL: "https://www.googleapis.com/oauth2/v3/certs",
        key: Self.googleKey,
        claims: Self.times.merging([
            "iss": #""https://accounts.google.com""#, "aud": #""web.apps.googleusercontent.com""#,
            "azp": #""android.apps.googleusercontent.com""#, "sub": #""1234""#, "email": #""ada@example.com""#,
            "email_verified": "true", "hd": #""example.com""#,
        ]) { $1 },
        policy: { try .google(audiences: ["web.apps.googleusercontent.com", "https://service.run.app"]) }
    )

    static let push = IssuedToken(
        testDescription: "push request",
        keySetURL: Self.google.keySetURL,
        key: Self.googleKey,
        claims: Self.times.merging([
            "iss": #""https://accounts.google.com""#, "aud": #""https://service.run.app/push""#, "azp": #""5678""#,
            "sub": #""5678""#, "email": "\"\(Self.robot)\"", "email_verified": "true",
        ]) { $1 },
        policy: { try .pushRequest(audience: "https://service.run.app/push", serviceAccount: Self.robot) }
    )

    static let proxy = IssuedToken(
        testDescription: "Identity-Aware Proxy",
        keySetURL: "https://www.gstatic.com/iap/verify/public_key-jwk",
        key: Self.key(.es256, "proxy"),
        claims: Self.times.merging([
            "iss": #""https://cloud.google.com/iap""#, "aud": #""/projects/1/apps/project""#,
            "sub": #""accounts.google.com:1234""#, "email": #""ada@example.com""#, "hd": #""example.com""#,
        ]) { $1 },
        policy: { try .identityAwareProxy(audience: "/projects/1/apps/project") }
    )

    static let firebase = IssuedToken(
        testDescription: "Firebase",
        keySetURL: "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
        key: Self.key(.rs256, "firebase"),
        claims: Self.times.merging([
            "iss": #""https://securetoken.google.com/my-project""#, "aud": #""my-project""#, "sub": #""uid""#,
            "user_id": #""uid""#, "auth_time": "1699999000", "firebase": #"{"sign_in_provider":"password"}"#,
        ]) { $1 },
        policy: { try .firebase(projectID: "my-project") }
    )

    static let all = [Self.google, Self.push, Self.proxy, Self.firebase]
}

/// The servers at which Google publishes its keys, and a verifier that uses them.
final class GoogleKeys: Sendable {
    let clock = TestClock()
    private let published: Mutex<[String: [JSONNode]]>

    /// Creates servers that publish the key of each kind of token.
    init() throws {
        var published: [String: [JSONNode]] = [:]
        for token in IssuedToken.all { published[token.keySetURL] = [try token.key.get().publicJWK] }
        self.published = Mutex(published)
    }

    /// Replaces the keys at a URL.
    func publish(_ keys: [JSONNode], at url: String) { self.published.withLock { $0[url] = keys } }

    /// Returns a transport to the servers, which calls `pause` before each response.
    func transport(pause: @escaping @Sendable () async -> Void = {}) -> ScriptedTransport {
        ScriptedTransport { request in
            await pause()
            guard let keys = self.published.withLock({ $0[request.url] }) else { return .status(.notFound) }
            return .json(JSONNode.object([JSONMember(name: "keys", value: .array(keys))]).text())
        }
    }

    /// Creates a verifier.
    func verifier(_ policy: GoogleIDTokenPolicy, _ transport: ScriptedTransport? = nil) -> GoogleIDTokenVerifier {
        GoogleIDTokenVerifier(
            policy,
            runtime: .testing(transport: transport ?? self.transport(), clock: self.clock)
        )
    }

    /// Returns `accepted` or the rule that a token violates.
    func outcome(_ token: Secret, _ policy: GoogleIDTokenPolicy) async -> String {
        let verifier = self.verifier(policy)
        return await eventualOutcome { try await verifier.verify(token) }
    }
}
