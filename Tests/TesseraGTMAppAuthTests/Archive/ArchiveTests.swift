// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

@Suite("AppAuth archives")
struct ArchiveTests {
    private func copy<Value: AppAuthValue>(_ value: Value) throws -> Value {
        try AppAuthArchive.unarchive(Value.self, from: try AppAuthArchive.archive(value))
    }

    @Test("Restores a configuration and its discovery document")
    func configuration() throws {
        let copy = try self.copy(try Samples.configuration())
        #expect(copy.authorizationEndpoint.absoluteString == "https://server.example/authorize?tenant=a%20b")
        #expect(copy.tokenEndpoint.absoluteString == "https://server.example/token")
        #expect(copy.issuer?.absoluteString == "https://server.example")
        #expect(copy.registrationEndpoint?.absoluteString == "https://server.example/register")
        #expect(copy.endSessionEndpoint?.absoluteString == "https://server.example/end")
        let document = try #require(copy.discoveryDocument)
        #expect(document.scopesSupported == ["openid", "email"])
        #expect(document.claimsParameterSupported)
        let depth = try #require((document.discoveryDictionary["an_extension"] as? [String: Any])?["depth"] as? [Any])
        #expect(depth[0] as? Int == 1)
        #expect(depth[1] as? Double == 2.5)
        #expect(depth[2] is NSNull)
        #expect(depth[3] as? Bool == false)
        #expect(depth[4] as? String == "x")
    }

    @Test("Restores a configuration without a discovery document")
    func bareConfiguration() throws {
        let endpoint = try Samples.url("https://server.example/a")
        let copy = try self.copy(OIDServiceConfiguration(authorizationEndpoint: endpoint, tokenEndpoint: endpoint))
        #expect(copy.tokenEndpoint == endpoint)
        #expect(copy.issuer == nil)
        #expect(copy.registrationEndpoint == nil)
        #expect(copy.endSessionEndpoint == nil)
        #expect(copy.discoveryDocument == nil)
    }

    @Test("Restores an authorization request")
    func authorizationRequest() throws {
        let request = try Samples.authorizationRequest()
        let copy = try self.copy(request)
        #expect(copy.authorizationRequestURL() == request.authorizationRequestURL())
        #expect(copy.clientSecret == "client-secret-1")
        #expect(copy.codeVerifier == "verifier-secret-4")
        #expect(copy.additionalParameters == ["login_hint": "parameter-secret-10"])
    }

    @Test("Restores an authorization response")
    func authorizationResponse() throws {
        let copy = try self.copy(try Samples.authorizationResponse())
        #expect(copy.authorizationCode == "code-secret-5")
        #expect(copy.state == "state-secret-2")
        #expect(copy.accessToken == "access-secret-6")
        #expect(copy.accessTokenExpirationDate == Date(timeIntervalSince1970: 1_000_060))
        #expect(copy.tokenType == "Bearer")
        #expect(copy.idToken == "eyJzZWNyZXQiOjEyfQ")
        #expect(copy.scope == "openid")
        #expect(copy.additionalParameters?["session_state"] as? String == "parameter-secret-10")
        #expect(copy.request.clientID == "app")
    }

    @Test("Restores a token request and its response")
    func tokens() throws {
        let copy = try self.copy(try Samples.tokenResponse())
        #expect(copy.accessToken == "access-secret-6")
        #expect(copy.accessTokenExpirationDate == Date(timeIntervalSince1970: 1_003_600))
        #expect(copy.refreshToken == "refresh-secret-7")
        #expect((copy.additionalParameters?["other"] as? [Any])?[2] as? Bool == true)
        let request = copy.request
        let original = try Samples.tokenRequest().urlRequest()
        #expect(request.urlRequest().httpBody == original.httpBody)
        #expect(request.urlRequest().allHTTPHeaderFields == original.allHTTPHeaderFields)
        #expect(request.grantType == "authorization_code")
        #expect(request.clientSecret == "client-secret-1")
    }

    @Test("Restores end-session and registration responses")
    func others() throws {
        let end = try self.copy(try Samples.endSessionResponse())
        #expect(end.state == "state-secret-2")
        #expect(end.request.endSessionRequestURL() == (try Samples.endSessionRequest().endSessionRequestURL()))
        let registration = try self.copy(try Samples.registrationResponse())
        #expect(registration.clientID == "app")
        #expect(registration.clientSecret == "client-secret-1")
        #expect(registration.clientIDIssuedAt == Date(timeIntervalSince1970: 1_000_000))
        #expect(registration.clientSecretExpiresAt == Date(timeIntervalSince1970: 2_000_000))
        #expect(registration.registrationAccessToken == "registration-secret-9")
        #expect(registration.registrationClientURI?.path() == "/register/app")
        #expect(registration.tokenEndpointAuthenticationMethod == "client_secret_basic")
        #expect(registration.request.urlRequest().httpBody == (try Samples.registrationRequest().urlRequest().httpBody))
        #expect(registration.request.initialAccessToken == "initial-secret-8")
    }

    @Test("Uses the class names of AppAuth")
    func names() throws {
        let plist = try ArchivePlist(try AppAuthArchive.archive(try Samples.tokenResponse()))
        let names = try plist.classNames()
        #expect(
            names.isSuperset(of: [
                "OIDTokenResponse", "OIDTokenRequest", "OIDServiceConfiguration", "OIDServiceDiscovery",
            ])
        )
        #expect(!names.contains { $0.contains(".") })
    }

    @Test("Uses the keys of AppAuth")
    func keys() throws {
        for value in try Samples.all() {
            let plist = try ArchivePlist(try AppAuthArchive.archive(value))
            let name = "\(type(of: value))"
            #expect(try plist.keys(of: name) == Self.keys[name], "\(name)")
        }
    }

    private static let keys: [String: Set<String>] = [
        "OIDAuthorizationRequest": [
            "configuration", "response_type", "client_id", "client_secret", "scope", "redirect_uri", "state", "nonce",
            "code_verifier", "code_challenge", "code_challenge_method", "additionalParameters",
        ],
        "OIDAuthorizationResponse": [
            "request", "code", "state", "access_token", "expires_in", "token_type", "id_token", "scope",
            "additionalParameters",
        ],
        "OIDTokenRequest": [
            "configuration", "grant_type", "code", "client_id", "client_secret", "redirect_uri", "scope",
            "refresh_token", "code_verifier", "additionalParameters", "additionalHeaders",
        ],
        "OIDTokenResponse": [
            "request", "access_token", "expires_in", "token_type", "id_token", "refresh_token", "scope",
            "additionalParameters",
        ],
        "OIDServiceConfiguration": [
            "authorizationEndpoint", "tokenEndpoint", "issuer", "registrationEndpoint", "endSessionEndpoint",
            "discoveryDocument",
        ],
        "OIDServiceDiscovery": ["discoveryDictionary", "NS.keys", "NS.objects"],
        "OIDRegistrationRequest": [
            "configuration", "initial_access_token", "redirect_uris", "response_types", "grant_types", "subject_type",
            "token_endpoint_auth_method", "additionalParameters",
        ],
        "OIDRegistrationResponse": [
            "client_id", "client_id_issued_at", "client_secret", "client_secret_expires_at",
            "registration_access_token", "registration_client_uri", "token_endpoint_auth_method", "request",
            "additionalParameters",
        ],
        "OIDEndSessionRequest": [
            "configuration", "id_token_hint", "post_logout_redirect_uri", "state", "additionalParameters",
        ],
        "OIDEndSessionResponse": ["state", "request", "additionalParameters"],
    ]

    @Test(
        "Restores any error code",
        .covers(155),
        arguments: [0, -1, 3_000_000_000, .max, .min]
    )
    func error(code: Int) throws {
        let state = OIDAuthState(authorizationResponse: try Samples.authorizationResponse())
        state.update(withAuthorizationError: NSError(domain: "example", code: code, userInfo: ["secret": "x"]))
        let copy = try AppAuthArchive.unarchive(OIDAuthState.self, from: try AppAuthArchive.archive(state))
        let error = try #require(copy.authorizationError as NSError?)
        #expect(error.domain == "example")
        #expect(error.code == code)
        #expect(error.userInfo.isEmpty)
    }

    @Test("Reads archives written by Foundation's keyed archiver")
    func foundation() throws {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: try Samples.tokenResponse(),
            requiringSecureCoding: true
        )
        let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: OIDTokenResponse.self, from: data)
        #expect(copy?.accessToken == "access-secret-6")
        #expect(try AppAuthArchive.unarchive(OIDTokenResponse.self, from: data).refreshToken == "refresh-secret-7")
    }

    @Test("Writes archives that Foundation can read after the class names are set")
    func foundationUnarchiver() throws {
        let data = try AppAuthArchive.archive(try Samples.tokenResponse())
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        AppAuthArchive.setClassNames(of: unarchiver)
        defer { unarchiver.finishDecoding() }
        let copy = unarchiver.decodeObject(of: OIDTokenResponse.self, forKey: NSKeyedArchiveRootObjectKey)
        #expect(copy?.refreshToken == "refresh-secret-7")
    }

    @Test("Reads archives of early AppAuth versions and archives with mutable collections")
    func earlyVersions() throws {
        var plist = try ArchivePlist(try AppAuthArchive.archive(try Samples.configuration()))
        plist.xml = plist.xml.replacing("<string>NSDictionary</string>", with: "<string>NSMutableDictionary</string>")
            .replacing("<string>NSArray</string>", with: "<string>NSMutableArray</string>")
        let mutable = try AppAuthArchive.unarchive(OIDServiceConfiguration.self, from: try plist.data)
        #expect(mutable.discoveryDocument?.scopesSupported == ["openid", "email"])
        plist = try ArchivePlist(try AppAuthArchive.archive(try OIDServiceDiscovery(json: Samples.discovery)))
        // Early versions encoded only the members of the dictionary inline, next to the object's class.
        let holder = try #require(
            plist.xml.firstMatch(of: /<key>discoveryDictionary<\/key>\s*<dict>.*?<\/dict>/.dotMatchesNewlines())
        )
        plist.xml = plist.xml.replacing(holder.output, with: "")
        let first = try AppAuthArchive.unarchive(OIDServiceDiscovery.self, from: try plist.data)
        #expect(first.tokenEndpoint.path() == "/token")
    }

    @Test("Does not register class names for the whole process")
    func process() throws {
        _ = try self.copy(try Samples.tokenResponse())
        #expect(NSKeyedUnarchiver.class(forClassName: "OIDTokenResponse") == nil)
    }
}
