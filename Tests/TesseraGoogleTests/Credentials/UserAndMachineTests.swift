// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
@testable internal import TesseraGoogle
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Users' credentials")
struct AuthorizedUserTests {
    @Test(
        "Refreshes a user's token at Google's endpoint, ignoring the file's endpoint",
        .covers(169),
        .shows(claims: 44)
    )
    func refresh() async throws {
        let google = try ScriptedGoogle()
        let file = try ScriptedGoogle.authorizedUser([
            "token_uri": "https://attacker.example/token", "quota_project_id": "quota", "rapt_token": "rapt",
        ])
        let credentials = try google.load(file)
        #expect(try await credentials.accessToken().text == "token-1")
        #expect(google.urls == ["https://oauth2.googleapis.com/token"])
        let request = google.requests[0]
        let parameters = Dictionary(uniqueKeysWithValues: request.form.map { ($0.name, $0.value) })
        #expect(
            parameters == [
                "grant_type": "refresh_token", "client_id": "client", "client_secret": "client-secret",
                "refresh_token": "refresh-token", "rapt": "rapt",
            ]
        )
        #expect(credentials.quotaProject == "quota")
        #expect(credentials.scopes.isEmpty)
    }

    @Test("Sends the scopes that the file contains", arguments: [JSONNode.array(["a", "b"]), .string("a b")])
    func scopes(_ scopes: JSONNode) async throws {
        let google = try ScriptedGoogle()
        let credentials = try google.load(try ScriptedGoogle.authorizedUser(["scopes": scopes]))
        _ = try await credentials.accessToken()
        #expect(credentials.scopes == ["a", "b"])
        #expect(google.requests[0].formValue("scope") == "a b")
    }

    @Test(
        "Names the command to run if the organization requires a new sign-in",
        arguments: ["invalid_rapt", "rapt_required"]
    )
    func reauthentication(_ subtype: String) async throws {
        let google = try ScriptedGoogle()
        google.answer("https://oauth2.googleapis.com/token") { _ in
            .json(#"{"error":"invalid_grant","error_subtype":"\#(subtype)"}"#, status: .badRequest)
        }
        let credentials = try google.load(try ScriptedGoogle.authorizedUser())
        await #expect { try await credentials.accessToken() } throws: { error in
            let error = error as? GoogleCredentialsError
            return error?.code == .reauthenticationRequired && error?.endsSession == true
                && error?.recoverySuggestion == "Run 'gcloud auth application-default login'."
        }
        #expect(google.requests.count == 1)
    }

    @Test("Does not offer ID tokens or signatures, and says what does")
    func unsupported() async throws {
        let google = try ScriptedGoogle()
        let credentials = try google.load(try ScriptedGoogle.authorizedUser())
        await #expect { try await credentials.idToken(audience: "a") } throws: { error in
            (error as? GoogleCredentialsError)?.recoverySuggestion?.contains("Impersonate") == true
        }
        await #expect { try await credentials.sign([1]) } throws: {
            GoogleCredentialsError.Code.unsupportedOperation ~= $0
        }
        await #expect { try await credentials.signJWT([]) } throws: {
            GoogleCredentialsError.Code.unsupportedOperation ~= $0
        }
        #expect(google.requests.isEmpty)
    }

    @Test("Rejects a subject, which a user's credentials would ignore", .covers(178))
    func subject() throws {
        let google = try ScriptedGoogle()
        var options = google.options()
        options.subject = "ada@example.com"
        #expect { try google.load(try ScriptedGoogle.authorizedUser(), options: options) } throws: {
            GoogleCredentialsError.Code.unsupportedOperation ~= $0
        }
    }

    @Test("Keeps the refresh token that replaced a workforce user's")
    func rotation() async throws {
        let google = try ScriptedGoogle()
        google.answer("https://sts.googleapis.com/v1/oauthtoken") { request in
            let number = request.formValue("refresh_token") == "first" ? "second" : "third"
            return .json(
                #"{"access_token":"\#(number)","token_type":"Bearer","expires_in":3600,"refresh_token":"\#(number)"}"#
            )
        }
        let file = try ScriptedGoogle.authorizedUser([
            "type": "external_account_authorized_user", "refresh_token": "first",
            "token_url": "https://sts.googleapis.com/v1/oauthtoken",
        ])
        let credentials = try google.load(file)
        #expect(try await credentials.accessToken().text == "second")
        google.clock.advance(by: .seconds(3_600))
        #expect(try await credentials.accessToken().text == "third")
        #expect(google.requests.map { $0.formValue("refresh_token") } == ["first", "second"])
        #expect(google.requests[0].authorization == "Basic Y2xpZW50OmNsaWVudC1zZWNyZXQ=")
    }
}

@Suite("Metadata server credentials")
struct MetadataServerTests {
    @Test("Requests a token for the scopes from the metadata server")
    func token() async throws {
        let google = try ScriptedGoogle()
        let credentials = try GoogleCredentials.metadataServer(
            scopes: ["scope-a", "scope-b"],
            options: google.options(),
            runtime: google.runtime
        )
        #expect(try await credentials.accessToken().text == "token-1")
        let root = "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/"
        #expect(google.urls == [root + "?recursive=true", root + "token?scopes=scope-a%2Cscope-b"])
        #expect(google.requests.allSatisfy { $0.head.headerFields[ScriptedGoogle.flavor] == "Google" })
        google.clock.advance(by: .seconds(3_600))
        #expect(try await credentials.accessToken().text == "token-2")
        #expect(google.urls.count == 3)
    }

    @Test("Uses the machine's account that the caller names")
    func account() async throws {
        let google = try ScriptedGoogle()
        let credentials = try GoogleCredentials.metadataServer(
            scopes: ["scope-a"],
            account: "second@project.iam.gserviceaccount.com",
            options: google.options(),
            runtime: google.runtime
        )
        // The server names the account.
        _ = try await credentials.accessToken()
        _ = try await credentials.idToken(audience: "https://a.example")
        let root = "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/"
        let account = root + "second@project.iam.gserviceaccount.com/"
        #expect(
            google.urls == [
                account + "?recursive=true", root + ScriptedGoogle.email + "/token?scopes=scope-a",
                account + "identity?audience=https%3A%2F%2Fa.example&format=full",
            ]
        )
    }

    @Test("Returns the email, project, universe, ID tokens and signatures of the machine")
    func details() async throws {
        let google = try ScriptedGoogle()
        let credentials = try GoogleCredentials.metadataServer(options: google.options(), runtime: google.runtime)
        #expect(try await credentials.email() == ScriptedGoogle.email)
        #expect(try await credentials.project() == "machine-project")
        #expect(try await credentials.universeDomain() == "googleapis.com")
        _ = try await credentials.idToken(audience: "https://a.example", includesLicenses: true)
        #expect(
            google.urls.last?.hasSuffix("/identity?audience=https%3A%2F%2Fa.example&format=full&licenses=TRUE") == true
        )
        #expect(try await credentials.sign([1]).bytes == Array("signed".utf8))
        #expect(google.requests.last?.json?["payload"]?.string == "AQ==")
        #expect(google.requests.last?.path.hasSuffix("\(ScriptedGoogle.email):signBlob") == true)
    }

    @Test("Rejects a response that does not come from a metadata server", .covers(174), .shows(claims: 48))
    func flavor() async throws {
        let google = try ScriptedGoogle()
        google.answer("http://metadata.google.internal/") { _ in .json(#"{"email":"a@b","scopes":[]}"#) }
        let credentials = try GoogleCredentials.metadataServer(options: google.options(), runtime: google.runtime)
        await #expect { try await credentials.accessToken() } throws: {
            GoogleCredentialsError.Code.metadataServer ~= $0
        }
        #expect(google.requests.count == 1)
    }

    @Test(
        "Uses the host of the environment if it cannot be another machine's",
        arguments: [
            (["GCE_METADATA_HOST": "127.0.0.1:8080"], "http://127.0.0.1:8080/"),
            (["GCE_METADATA_ROOT": "169.254.169.254"], "http://169.254.169.254/"),
            (["GCE_METADATA_HOST": "localhost:1", "GCE_METADATA_ROOT": "169.254.169.254"], "http://localhost:1/"),
        ]
    )
    func host(_ variables: [String: String], _ prefix: String) async throws {
        let google = try ScriptedGoogle()
        google.answer(prefix) { _ in .status(.notFound) }
        let options = google.options(variables)
        let credentials = try GoogleCredentials.metadataServer(options: options, runtime: google.runtime)
        _ = try? await credentials.accessToken()
        #expect(google.urls.first?.hasPrefix(prefix) == true)
    }

    @Test(
        "Sends nothing to a metadata host on the network",
        .covers(174),
        .shows(claims: 48),
        arguments: ["10.0.0.1", "metadata.example", "attacker.example:80"]
    )
    func foreignHost(_ host: String) async throws {
        let google = try ScriptedGoogle()
        let options = google.options(["GCE_METADATA_HOST": host])
        let credentials = try GoogleCredentials.metadataServer(options: options, runtime: google.runtime)
        await #expect { try await credentials.accessToken() } throws: {
            GoogleCredentialsError.Code.invalidConfiguration ~= $0
        }
        #expect(google.requests.isEmpty)
    }

    @Test("Rejects a machine of another universe than the caller's", .covers(169), .shows(claims: 49))
    func universe() async throws {
        let google = try ScriptedGoogle()
        google.answer("http://metadata.google.internal/computeMetadata/v1/universe/") { _ in
            ScriptedResponse(
                HTTPResponse(status: .ok, headerFields: [ScriptedGoogle.flavor: "Google"]),
                body: HTTPBody("other.goog")
            )
        }
        let credentials = try GoogleCredentials.metadataServer(options: google.options(), runtime: google.runtime)
        await #expect { try await credentials.universeDomain() } throws: {
            GoogleCredentialsError.Code.universeMismatch ~= $0
        }
    }

    @Test("Requires certificates in strict mode, and rejects an unknown mode", arguments: ["strict", "sometimes"])
    func certificates(_ mode: String) throws {
        let google = try ScriptedGoogle()
        let options = google.options(["GCE_METADATA_MTLS_MODE": mode])
        #expect { try GoogleCredentials.metadataServer(options: options, runtime: google.runtime) } throws: {
            GoogleCredentialsError.Code.invalidConfiguration ~= $0
        }
    }

    @Test("Uses the certificates over TLS, and plain http in the default mode if they fail")
    func defaultMode() async throws {
        let google = try ScriptedGoogle()
        let pem = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"
        try google.write(pem, "mds/root.crt")
        try google.write(pem, "mds/client.key")
        let failing = ScriptedTransport { _ in throw TransportError(.tls) }
        var runtime = google.runtime
        runtime.transportWithIdentity = { _, _ in failing }
        for (mode, isOptional) in [("default", true), ("strict", false)] {
            let environment = google.options(["GCE_METADATA_MTLS_MODE": mode]).environment
            let certificate = try #require(
                try MetadataCertificate.find(environment, runtime: runtime, directory: google.directory + "/mds")
            )
            #expect(certificate.isOptional == isOptional)
            let client = try google.options().client(runtime)
            let server = MetadataServer(account: "default", address: MetadataAddress(environment, certificate))
            if isOptional {
                #expect(try await server.email(client) == ScriptedGoogle.email)
            } else {
                await #expect { try await server.email(client) } throws: { ($0 as? TransportError)?.code == .tls }
            }
        }
        #expect(failing.requests.allSatisfy { $0.url.hasPrefix("https://metadata.google.internal/") })
        #expect(google.urls.count == 1)
    }
}
