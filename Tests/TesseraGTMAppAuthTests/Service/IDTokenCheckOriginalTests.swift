// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("ID token checks as in AppAuth")
struct IDTokenCheckOriginalTests {
    /// The provider's time, in seconds since 1970.
    private static let now: Int64 = 1_700_000_000

    /// Returns a program whose provider replaces claims in its ID tokens.
    ///
    /// A nil value removes the claim.
    private static func program(_ changes: [String: JSONNode?]) throws -> AppAuthProgram {
        let program = try AppAuthProgram()
        let network = program.network
        #expect(network.clock.date == Date(timeIntervalSince1970: TimeInterval(Self.now)))
        network.options.idTokens = { claims, _ in
            let others = claims.filter { !changes.keys.contains($0.name) }
            let changed = changes.compactMap { name, value in value.map { JSONMember(name: name, value: $0) } }
            return try network.sign(others + changed)
        }
        return program
    }

    /// Returns the error of a sign-in with changed claims, or nil if it succeeds.
    private static func caught(_ changes: [String: JSONNode?]) async throws -> CaughtError? {
        let program = try Self.program(changes)
        return await program.run {
            do {
                _ = try await program.state()
                return nil
            } catch {
                return CaughtError(error: error as NSError)
            }
        }
    }

    private static var invalid: [AnyHashable] {
        [OIDGeneralErrorDomain, OIDErrorCode.idTokenFailedValidationError.rawValue]
    }

    @Test(
        "Reports an ID token that cannot be parsed",
        .original("AppAuth OIDRPProfileCode.testRP_id_token_sub"),
        arguments: ["abc", "a.b", "..", "e30.e30.c2ln", "e30.e30.e30.e30.e30"]
    )
    func unreadable(token: String) async throws {
        let program = try AppAuthProgram()
        program.network.options.idTokens = { _, _ in token }
        let caught = try await program.run { try await CaughtError.thrown { try await program.state() } }
        #expect(caught.kind == [OIDGeneralErrorDomain, OIDErrorCode.idTokenParsingError.rawValue])
    }

    @Test(
        "Reports an ID token without a required claim as one that cannot be parsed",
        .original("AppAuth OIDIDToken initWithIDTokenString:"),
        arguments: ["iss", "sub", "aud", "exp", "iat"]
    )
    func missing(name: String) async throws {
        let caught = try await Self.caught([name: nil as JSONNode?])
        #expect(caught?.kind == [OIDGeneralErrorDomain, OIDErrorCode.idTokenParsingError.rawValue])
    }

    @Test("Rejects another issuer", .original("AppAuth OIDRPProfileCode.testRP_id_token_issuer_mismatch"))
    func issuer() async throws {
        #expect(try await Self.caught(["iss": "https://other.example"])?.kind == Self.invalid)
    }

    @Test(
        "Rejects a token without the client in its audience",
        .original("AppAuth OIDRPProfileCode.testRP_id_token_aud")
    )
    func audience() async throws {
        #expect(try await Self.caught(["aud": "other"])?.kind == Self.invalid)
        #expect(try await Self.caught(["aud": ["other", "another"]])?.kind == Self.invalid)
        #expect(try await Self.caught(["aud": [.string(ScriptedProvider.clientID)]]) == nil)
    }

    @Test(
        "Rejects several audiences unless this client is the authorized party",
        .original("AppAuth OIDAuthorizationService performTokenRequest:originalAuthorizationResponse:callback:")
    )
    func authorizedParty() async throws {
        let client = JSONNode.string(ScriptedProvider.clientID)
        #expect(try await Self.caught(["aud": "other", "azp": client])?.kind == Self.invalid)
        #expect(try await Self.caught(["aud": [client, "x"]])?.kind == Self.invalid)
        #expect(try await Self.caught(["aud": [client, "x"], "azp": "x"])?.kind == Self.invalid)
        #expect(try await Self.caught(["aud": [client, "x"], "azp": client]) == nil)
    }

    @Test(
        "Rejects a token that expired more than 5 minutes ago",
        .original("AppAuth OIDAuthorizationService performTokenRequest:originalAuthorizationResponse:callback:"),
        arguments: [(-301, false), (-299, true), (1, true)]
    )
    func expiration(offset: Int64, isValid: Bool) async throws {
        let caught = try await Self.caught(["exp": .integer(Self.now + offset)])
        #expect(isValid ? caught == nil : caught?.kind == Self.invalid)
    }

    @Test(
        "Rejects a token that was issued more than 10 minutes ago or more than 5 minutes ahead",
        .original("AppAuth OIDRPProfileCode.testRP_id_token_iat"),
        arguments: [(-86_400, false), (-601, false), (-600, true), (-599, true), (299, true), (301, false)]
    )
    func issuedAt(offset: Int64, isValid: Bool) async throws {
        let caught = try await Self.caught(["iat": .integer(Self.now + offset)])
        #expect(isValid ? caught == nil : caught?.kind == Self.invalid)
    }

    @Test("Rejects another nonce or none", .original("AppAuth OIDRPProfileCode.testRP_nonce_invalid"))
    func nonce() async throws {
        #expect(try await Self.caught(["nonce": "other"])?.kind == Self.invalid)
        #expect(try await Self.caught(["nonce": nil as JSONNode?])?.kind == Self.invalid)
    }

    @Test(
        "Does not compare the nonce without the authorization response",
        .original("AppAuth OIDAuthorizationService performTokenRequest:callback:")
    )
    func uncheckedNonce() async throws {
        let program = try Self.program(["nonce": "other"])
        try await program.run {
            let response = try await program.consent()
            let request = try #require(response.tokenExchangeRequest(withAdditionalParameters: program.proof))
            #expect(try await OIDAuthorizationService.perform(request).idToken != nil)
        }
    }

    @Test(
        "Does not compare the nonce if the request had none or for another grant",
        .original("AppAuth OIDAuthorizationService performTokenRequest:originalAuthorizationResponse:callback:")
    )
    func otherGrant() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let state = try await program.state()
            let network = program.network
            network.options.idTokens = { claims, _ in
                try network.sign(claims + [JSONMember(name: "nonce", value: "other")])
            }
            let request = try #require(state.tokenRefreshRequest(withAdditionalParameters: program.proof))
            let tokens = try await OIDAuthorizationService.perform(
                request,
                originalAuthorizationResponse: state.lastAuthorizationResponse
            )
            #expect(tokens.idToken != nil)
        }
    }

    @Test(
        "Reports the issuer first, then the audience, the times and the nonce",
        .original("AppAuth OIDAuthorizationService performTokenRequest:originalAuthorizationResponse:callback:")
    )
    func order() async throws {
        var changes: [String: JSONNode?] = [
            "iss": "https://other.example", "aud": "other", "exp": .integer(Self.now - 1_000),
            "iat": .integer(Self.now + 1_000), "nonce": "other",
        ]
        for (name, rule) in [
            ("iss", "(jwt.issuer)"), ("aud", "(jwt.audience)"), ("exp", "expected exp"), ("iat", "expected iat"),
            ("nonce", "(idToken.nonce)"),
        ] {
            let caught = try await Self.caught(changes)
            #expect(caught?.kind == Self.invalid)
            #expect(caught?.message.contains(rule) == true, "\(name)")
            changes.removeValue(forKey: name)
        }
        #expect(try await Self.caught(changes) == nil)
    }

    @Test(
        "Rejects a token without a signature or with another algorithm",
        .original("AppAuth OIDRPProfileCode.testRP_id_token_sig_none"),
        arguments: ["none", "HS256", "RS384"]
    )
    func algorithm(name: String) async throws {
        let program = try AppAuthProgram()
        program.network.options.idTokens = { claims, _ in
            let header = #"{"alg":"\#(name)"}"#
            let payload = JSONNode.object(claims).serialized()
            return "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(payload)).c2ln"
        }
        let caught = try await program.run { try await CaughtError.thrown { try await program.state() } }
        #expect(caught.kind == Self.invalid)
    }

    @Test(
        "Rejects a token for another access token or one that is not valid yet",
        .original("AppAuth OIDAuthorizationService performTokenRequest:originalAuthorizationResponse:callback:")
    )
    func hash() async throws {
        #expect(try await Self.caught(["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"])?.kind == Self.invalid)
        #expect(try await Self.caught(["nbf": .integer(Self.now + 301)])?.kind == Self.invalid)
        #expect(try await Self.caught(["at_hash": nil as JSONNode?]) == nil)
    }

    @Test(
        "Rejects an ID token if the issuer is unknown",
        .original("AppAuth OIDAuthorizationService performTokenRequest:originalAuthorizationResponse:callback:")
    )
    func noIssuer() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let response = try await program.consent()
            let known = response.request.configuration
            let request = OIDTokenRequest(
                configuration: OIDServiceConfiguration(
                    authorizationEndpoint: known.authorizationEndpoint,
                    tokenEndpoint: known.tokenEndpoint
                ),
                grantType: OIDGrantTypeAuthorizationCode,
                authorizationCode: response.authorizationCode,
                redirectURL: response.request.redirectURL,
                clientID: ScriptedProvider.clientID,
                codeVerifier: response.request.codeVerifier,
                additionalParameters: program.proof
            )
            let caught = try await CaughtError.thrown { try await OIDAuthorizationService.perform(request) }
            #expect(caught.kind == Self.invalid)
        }
    }

    @Test(
        "Fails a code exchange if the provider's keys are unavailable",
        .original("AppAuth OIDAuthorizationService performTokenRequest:originalAuthorizationResponse:callback:")
    )
    func noKeys() async throws {
        let program = try AppAuthProgram()
        program.network.intercept("/keys") { _ in throw TransportError(.cannotConnect) }
        let caught = try await program.run { try await CaughtError.thrown { try await program.state() } }
        #expect(caught.kind == [OIDGeneralErrorDomain, OIDErrorCode.networkError.rawValue])
    }

    @Test(
        "Fails a refresh with an invalid ID token",
        .original("AppAuth OIDAuthorizationService performTokenRequest:callback:")
    )
    func invalidRefresh() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let state = try await program.state()
            let network = program.network
            network.options.idTokens = { claims, _ in
                let others = claims.filter { $0.name != "iat" }
                return try network.sign(others + [JSONMember(name: "iat", value: .integer(Self.now - 90_000))])
            }
            let request = try #require(state.tokenRefreshRequest(withAdditionalParameters: program.proof))
            let caught = try await CaughtError.thrown { try await OIDAuthorizationService.perform(request) }
            #expect(caught.kind == Self.invalid)
        }
    }

    @Test(
        "Removes an ID token that cannot be verified from the response to a refresh",
        .original("AppAuth OIDAuthorizationService performTokenRequest:callback:")
    )
    func unverifiableRefresh() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let state = try await program.state()
            program.network.intercept("/keys") { _ in throw TransportError(.cannotConnect) }
            let request = try #require(state.tokenRefreshRequest(withAdditionalParameters: program.proof))
            let tokens = try await OIDAuthorizationService.perform(request)
            #expect(tokens.accessToken != nil)
            #expect(tokens.refreshToken != nil)
            #expect(tokens.idToken == nil)
        }
    }
}
