// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Logging
internal import Tessera
@testable internal import TesseraGoogle
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Application Default Credentials")
struct ApplicationDefaultTests {
    private static let gcloudFile = ".config/gcloud/application_default_credentials.json"

    private static func search(
        _ google: ScriptedGoogle,
        _ variables: [String: String] = [:]
    ) async throws -> GoogleCredentials {
        try await .applicationDefault(scopes: ["scope-a"], options: google.options(variables), runtime: google.runtime)
    }

    @Test("Prefers the variable to gcloud's file, and gcloud's file to the metadata server")
    func order() async throws {
        let google = try ScriptedGoogle()
        let machine = try await Self.search(google)
        #expect(machine.kind == .metadataServer)
        #expect(machine.search.map(\.source) == [.environmentVariable, .gcloudFile, .metadataServer])
        #expect(machine.search.map { $0.reason == nil } == [false, false, true])
        try google.write(try ScriptedGoogle.authorizedUser(), Self.gcloudFile)
        #expect(try await Self.search(google).kind == .authorizedUser)
        let path = try google.write(try ScriptedGoogle.serviceAccount())
        let file = try await Self.search(google, ["GOOGLE_APPLICATION_CREDENTIALS": path])
        #expect(file.kind == .serviceAccount)
        #expect(file.search == [GoogleCredentialSearchStep(source: .environmentVariable, location: path, reason: nil)])
        #expect(try await Self.search(google, ["GOOGLE_APPLICATION_CREDENTIALS": ""]).kind == .authorizedUser)
    }

    @Test("Fails if the variable names an unusable file, although there are other credentials")
    func noFallThrough() async throws {
        let google = try ScriptedGoogle()
        try google.write(try ScriptedGoogle.authorizedUser(), Self.gcloudFile)
        let missing = google.directory + "/missing"
        await #expect { try await Self.search(google, ["GOOGLE_APPLICATION_CREDENTIALS": missing]) } throws: { error in
            let error = error as? GoogleCredentialsError
            return error?.code == .unreadableFile && error?.location == missing
        }
        let invalid = try google.write("{", "invalid")
        await #expect { try await Self.search(google, ["GOOGLE_APPLICATION_CREDENTIALS": invalid]) } throws: {
            GoogleCredentialsError.Code.invalidFile ~= $0
        }
    }

    @Test("Lists the steps if there are no credentials, after one second")
    func notFound() async throws {
        let google = try ScriptedGoogle()
        google.answer("http://169.254.169.254") { _ in throw TransportError(.timedOut) }
        await #expect { try await Self.search(google) } throws: { error in
            let error = error as? GoogleCredentialsError
            return error?.code == .notFound && error?.reason.contains("gcloud: the file does not exist") == true
                && error?.reason.contains("no response within one second") == true
        }
        #expect(google.requests.count == 1)
        let requests = google.requests.count
        await #expect { try await Self.search(google, ["NO_GCE_CHECK": "true"]) } throws: { error in
            (error as? GoogleCredentialsError)?.reason.contains("NO_GCE_CHECK is true") == true
        }
        #expect(google.requests.count == requests)
    }

    @Test("Ignores a web server at the metadata address", .covers(174), .shows(claims: 48))
    func impostor() async throws {
        let google = try ScriptedGoogle()
        google.answer("http://169.254.169.254") { _ in .json("{}") }
        await #expect { try await Self.search(google) } throws: { GoogleCredentialsError.Code.notFound ~= $0 }
    }

    @Test("Reads gcloud's files from CLOUDSDK_CONFIG, and its project without starting gcloud")
    func gcloud() async throws {
        let google = try ScriptedGoogle()
        try google.write(try ScriptedGoogle.authorizedUser(), "sdk/application_default_credentials.json")
        try google.write("work\n", "sdk/active_config")
        try google.write(
            "[core]\naccount = a\nproject = work-project\n[compute]\nproject = no\n",
            "sdk/configurations/config_work"
        )
        try google.write("[core]\nproject: default-project\n", "sdk/configurations/config_default")
        let variables = ["CLOUDSDK_CONFIG": google.directory + "/sdk"]
        let credentials = try await Self.search(google, variables)
        #expect(try await credentials.project() == "work-project")
        for (name, value, expected) in [
            ("GOOGLE_CLOUD_PROJECT", "first", "first"), ("GCLOUD_PROJECT", "second", "second"),
            ("CLOUDSDK_CORE_PROJECT", "third", "third"), ("CLOUDSDK_ACTIVE_CONFIG_NAME", "default", "default-project"),
        ] {
            let changed = try await Self.search(google, variables.merging([name: value]) { $1 })
            #expect(try await changed.project() == expected)
        }
        #expect(google.requests.isEmpty)
    }

    @Test("Takes the quota project from the options, the environment and the file, in this order")
    func quotaProject() async throws {
        let google = try ScriptedGoogle()
        let file = try ScriptedGoogle.authorizedUser(["quota_project_id": "in-file"])
        #expect(try google.load(file).quotaProject == "in-file")
        var options = google.options(["GOOGLE_CLOUD_QUOTA_PROJECT": "in-environment"])
        #expect(try google.load(file, options: options).quotaProject == "in-environment")
        options.quotaProject = "in-options"
        #expect(try google.load(file, options: options).quotaProject == "in-options")
    }

    @Test("Rejects a subject for the credentials of a machine, and says what supports it", .covers(178))
    func subject() async throws {
        let google = try ScriptedGoogle()
        var options = google.options()
        options.subject = "ada@example.com"
        await #expect {
            try await GoogleCredentials.applicationDefault(scopes: [], options: options, runtime: google.runtime)
        } throws: { error in
            (error as? GoogleCredentialsError)?.recoverySuggestion?.contains("impersonating") == true
        }
    }

    @Test("Rejects a universe that is not a domain", arguments: ["", "com", "a b.c", "a/b.c"])
    func universe(_ universe: String) throws {
        let google = try ScriptedGoogle()
        var options = google.options()
        options.universeDomain = universe
        #expect { try google.load(try ScriptedGoogle.serviceAccount(), options: options) } throws: {
            GoogleCredentialsError.Code.invalidConfiguration ~= $0
        }
    }
}

@Suite("Credential files")
struct CredentialFileTests {
    @Test(
        "Rejects a malformed file with a typed error",
        .covers(171),
        arguments: [
            "", "{", "[]", "null", "\u{FEFF}{}", #"{"type":1}"#,
            #"{"type":"service_account","type":"authorized_user"}"#,
            #"{"type":"service_account","client_email":{}}"#, #"{"type":"external_account","credential_source":[]}"#,
            #"{"type":"authorized_user","client_id":"","client_secret":"a","refresh_token":"b"}"#,
        ]
    )
    func malformed(_ text: String) throws {
        let google = try ScriptedGoogle()
        #expect { try google.load(text) } throws: { GoogleCredentialsError.Code.invalidFile ~= $0 }
    }

    @Test(
        "Says what to use instead of an unsupported type",
        .covers(171),
        arguments: [
            #"{"type":"gdch_service_account"}"#, #"{"type":"unknown"}"#, #"{"type":"a","installed":{"client_id":"a"}}"#,
        ]
    )
    func unsupported(_ text: String) throws {
        let google = try ScriptedGoogle()
        #expect { try google.load(text) } throws: { error in
            let error = error as? GoogleCredentialsError
            return error?.code == .unsupportedType && error?.recoverySuggestion != nil
        }
    }

    @Test("Rejects a directory, a pipe, a missing file and a file of 10 MB", .covers(171))
    func notRegular() throws {
        let google = try ScriptedGoogle()
        let pipe = google.directory + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let long = try google.write(String(repeating: " ", count: 10_000_000), "long")
        for path in [google.directory, pipe, google.directory + "/missing", long] {
            #expect {
                try GoogleCredentials.load(
                    path,
                    expecting: [.serviceAccount],
                    options: google.options(),
                    runtime: google.runtime
                )
            } throws: { error in
                let error = error as? GoogleCredentialsError
                return error?.code == .unreadableFile && error?.location == path
            }
        }
    }

    @Test(
        "Rejects credentials of a type that the caller does not expect, before anything is read or sent",
        .covers(170),
        .shows(claims: 45)
    )
    func expectation() throws {
        let google = try ScriptedGoogle()
        let files: [(String, GoogleCredentialFileType)] = [
            (try ScriptedGoogle.serviceAccount(), .serviceAccount),
            (try ScriptedGoogle.authorizedUser(), .authorizedUser),
            (try ScriptedGoogle.externalAccount(["file": "/a"]), .externalAccountFile),
            (try ScriptedGoogle.externalAccount(["url": "https://a.example"]), .externalAccountURL),
            (try ScriptedGoogle.externalAccount(["executable": ["command": "a"]]), .externalAccountExecutable),
            (try ScriptedGoogle.externalAccount(AWSTests.source, AWSTests.type), .externalAccountAWS),
            (
                try ScriptedGoogle.externalAccount(["certificate": ["use_default_certificate_config": true]]),
                .externalAccountX509
            ),
        ]
        for (text, type) in files {
            #expect(throws: Never.self) { try google.load(text, expecting: [type]) }
            #expect { try google.load(text, expecting: GoogleCredentialFileType.all.subtracting([type])) } throws: {
                GoogleCredentialsError.Code.unexpectedType ~= $0
            }
        }
    }

    @Test(
        "Sends secrets only to Google, to a universe that the caller names, or to a trusted origin",
        .covers(169),
        .shows(claims: 44),
        arguments: [
            "https://attacker.example/token", "https://googleapis.com.attacker.example/token",
            "https://oauth2.googleapis.com:8443/token", "https://attackergoogleapis.com/token",
            "http://127.0.0.1:8080/token", "https://oauth2.other-universe.goog/token",
        ]
    )
    func trust(_ url: String) async throws {
        let google = try ScriptedGoogle()
        google.answer(url) { _ in google.token() }
        let token = try google.write("subject-token", "token")
        let files = [
            try ScriptedGoogle.serviceAccount(["token_uri": .string(url)]),
            try ScriptedGoogle.externalAccount(["file": .string(token)], ["token_url": .string(url)]),
            try ScriptedGoogle.externalAccount(
                ["file": .string(token)],
                ["service_account_impersonation_url": .string(url + "/a@b:generateAccessToken")]
            ),
            try ScriptedGoogle.authorizedUser(["type": "external_account_authorized_user", "token_url": .string(url)]),
        ]
        for file in files {
            #expect { try google.load(file) } throws: { GoogleCredentialsError.Code.untrustedEndpoint ~= $0 }
        }
        var options = google.options()
        options.trustedOrigins = [try OriginPattern(url.replacing("/token", with: ""))]
        _ = try await google.load(files[0], options: options).accessToken()
        #expect(google.urls == [url])
    }

    @Test(
        "Sends secrets only to the service that expects them, because others can store them for anyone",
        .covers(169),
        .shows(claims: 44),
        arguments: [
            "https://storage.googleapis.com/upload/storage/v1/b/bucket/o?uploadType=media",
            "https://storage.googleapis.com/v1/token", "https://sts.storage.googleapis.com/v1/token",
            "https://sts.commondatastorage.googleapis.com/v1/token", "https://sts.googleapis.com/v1/token?x=1",
            "https://sts.googleapis.com/v1/other", "https://googleapis.com/v1/token", "https://oauth2.googleapis.com/o",
            "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a@b/c:generateAccessToken",
        ]
    )
    func anotherService(_ url: String) throws {
        let google = try ScriptedGoogle()
        let files = [
            try ScriptedGoogle.serviceAccount(["token_uri": .string(url)]),
            try ScriptedGoogle.externalAccount(["file": "/a"], ["token_url": .string(url)]),
            try ScriptedGoogle.externalAccount(
                ["file": "/a"],
                [
                    "service_account_impersonation_url": .string(
                        url.hasSuffix("AccessToken") ? url : url + "/a@b:generateAccessToken"
                    )
                ]
            ),
            try ScriptedGoogle.authorizedUser(["type": "external_account_authorized_user", "token_url": .string(url)]),
        ]
        for file in files {
            #expect { try google.load(file) } throws: { GoogleCredentialsError.Code.untrustedEndpoint ~= $0 }
        }
    }

    @Test(
        "Accepts the regional and mutual-TLS endpoints of the token service",
        arguments: [
            "sts.mtls", "us-east1.sts", "sts.us-east1", "us-east1-sts", "us-east1-sts.mtls", "sts.us-east1.rep",
            "sts-psc.p",
        ]
    )
    func tokenServices(_ host: String) throws {
        let google = try ScriptedGoogle()
        let file = try ScriptedGoogle.externalAccount(
            ["file": "/a"],
            ["token_url": .string("https://\(host).googleapis.com/v1/token")]
        )
        #expect(throws: Never.self) { try google.load(file) }
    }

    @Test(
        "Rejects an endpoint without TLS",
        .covers(169),
        .shows(claims: 44),
        arguments: ["http://oauth2.googleapis.com/token", "oauth2.googleapis.com"]
    )
    func insecure(_ url: String) throws {
        let google = try ScriptedGoogle()
        #expect { try google.load(try ScriptedGoogle.serviceAccount(["token_uri": .string(url)])) } throws: {
            GoogleCredentialsError.Code.invalidFile ~= $0
        }
    }

    @Test("Warns about a file that other users can read")
    func exposed() throws {
        let google = try ScriptedGoogle()
        for (mode, expected) in [(0o600, 0), (0o644, 1), (0o640, 1)] {
            let path = try google.write(try ScriptedGoogle.serviceAccount(), "key-\(mode).json", mode: mode)
            let counter = WarningCounter()
            var options = google.options()
            options.logger = Logger(label: "test") { _ in counter }
            _ = try GoogleCredentials.serviceAccount(
                keyFile: path,
                scopes: [],
                options: options,
                runtime: google.runtime
            )
            #expect(counter.count == expected)
        }
    }

    @Test("Follows links, as Kubernetes mounts secrets")
    func link() throws {
        let google = try ScriptedGoogle()
        let path = try google.write(try ScriptedGoogle.serviceAccount())
        let link = google.directory + "/link.json"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(throws: Never.self) {
            try GoogleCredentials.serviceAccount(
                keyFile: link,
                scopes: [],
                options: google.options(),
                runtime: google.runtime
            )
        }
    }
}
