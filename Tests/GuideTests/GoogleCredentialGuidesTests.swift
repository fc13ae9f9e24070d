// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraGoogle
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

@Suite("Guides for credentials without a user")
struct GoogleCredentialGuidesTests {
    /// A runtime whose transport responds to token exchanges, impersonation and any other request.
    private static func runtime(_ urls: RecordedURLs) -> OAuthRuntime {
        .testing(
            transport: ScriptedTransport { request in
                urls.append(request.url)
                if request.url.hasPrefix("https://sts.googleapis.com/") {
                    return .json(
                        #"{"access_token":"federated","token_type":"Bearer","expires_in":3600,"#
                            + #""issued_token_type":"urn:ietf:params:oauth:token-type:access_token"}"#
                    )
                }
                if request.url.hasPrefix("https://iamcredentials.googleapis.com/") {
                    return .json(#"{"accessToken":"impersonated","expireTime":"2030-01-01T00:00:00Z"}"#)
                }
                return .json(request.head.headerFields[.authorization] ?? "")
            }
        )
    }

    @Test("Exchanges a subject token from a closure and impersonates a service account")
    func closure() async throws {
        let urls = RecordedURLs()
        let credentials = try federatedCredentials(runtime: Self.runtime(urls)) { Secret("subject-token") }
        #expect(try await credentials.accessToken().secret.withUnredacted { $0 } == "impersonated")
        #expect(urls.all.first == "https://sts.googleapis.com/v1/token")
    }

    @Test("Exchanges a request that AWS credentials from a closure sign")
    func amazon() async throws {
        let urls = RecordedURLs()
        let credentials = try federatedCredentials(region: "eu-central-1", runtime: Self.runtime(urls)) {
            AWSCredentials(accessKeyID: "id", secretAccessKey: Secret("key"))
        }
        #expect(try await credentials.accessToken().secret.withUnredacted { $0 } == "federated")
        #expect(urls.all == ["https://sts.googleapis.com/v1/token"])
    }

    @Test("Calls another service with an ID token for its URL")
    func caller() async throws {
        let idToken = try JWSSigningKey.generate(.rs256).sign(payload: Array(#"{"exp":4102444800}"#.utf8))
        var metadata = ScriptedResponse.json(idToken)
        metadata.head.headerFields[try #require(HTTPField.Name("Metadata-Flavor"))] = "Google"
        let response = metadata
        let runtime = OAuthRuntime.testing(
            transport: ScriptedTransport { request in
                request.path.hasSuffix("/identity")
                    ? response : .json(request.head.headerFields[.authorization] ?? "none")
            }
        )
        let options = GoogleCredentialsOptions(environment: GoogleEnvironment(variables: [:], homeDirectory: nil))
        let machine = try GoogleCredentials.metadataServer(options: options, runtime: runtime)
        let client = try ReportsClient(url: "https://reports.run.app", credentials: machine, runtime: runtime)
        #expect(String(decoding: try await client.report("a"), as: UTF8.self) == "Bearer " + idToken)
    }
}

/// The URLs of requests, in order.
private final class RecordedURLs: Sendable {
    private let stored = Mutex<[String]>([])

    var all: [String] { self.stored.withLock { $0 } }

    func append(_ url: String) { self.stored.withLock { $0.append(url) } }
}
