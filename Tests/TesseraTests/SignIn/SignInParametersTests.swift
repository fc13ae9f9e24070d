// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Additional sign-in parameters")
struct SignInParametersTests {
    @Test("Sends claims, context classes, resources and authorization details")
    func sent() async throws {
        let environment = try TestEnvironment()
        let options = SignInOptions.with {
            $0.acrValues = ["gold"]
            $0.claims = ClaimsRequest(idToken: ["auth_time": .essential])
            $0.resources = ["https://api.example/"]
            $0.authorizationDetails = [AuthorizationDetail(type: "payment")]
        }
        _ = try await environment.signIn.signIn(scopes: [.openID], options: options)
        #expect(environment.userAgent.parameter("acr_values") == "gold")
        #expect(environment.userAgent.parameter("claims") == #"{"id_token":{"auth_time":{"essential":true}}}"#)
        #expect(environment.userAgent.parameter("resource") == "https://api.example/")
        #expect(environment.userAgent.parameter("authorization_details") == #"[{"type":"payment"}]"#)
    }

    @Test("Fails the sign-in if the ID token lacks an essential claim", .covers(93))
    func essential() async throws {
        let environment = try TestEnvironment()
        let acr = ClaimsRequest.Claim(isEssential: true, values: ["gold"])
        let options = SignInOptions.with { $0.claims = ClaimsRequest(idToken: ["acr": acr]) }
        await #expect {
            try await environment.signIn.signIn(scopes: [.openID], options: options)
        } throws: {
            ProtocolViolationError.Rule.idTokenAuthenticationContext ~= $0
        }
        #expect(environment.store.count(.save) == 0)
    }

    @Test("Stores resources, and sends them in exchanges, refreshes and requests for more scopes")
    func resources() async throws {
        let environment = try TestEnvironment()
        let resources = ["https://api.example/"]
        let session = try await environment.signIn.signIn(
            scopes: [.openID],
            options: .with { $0.resources = resources }
        )
        environment.expire()
        _ = try await session.accessToken()
        #expect(environment.network.requests("/token").map { $0.formValue("resource") } == resources + resources)
        _ = try await environment.signIn.addScopes([TestEnvironment.drive], to: session)
        #expect(environment.userAgent.parameter("resource") == resources[0])
        let record = session.record
        #expect(record.resources == resources)
        #expect(try SessionRecord(decoding: record.encoded(), location: "test") == record)
        let plain = try await TestEnvironment().session().record
        #expect(plain.resources == [])
        #expect(!String(decoding: plain.encoded(), as: UTF8.self).contains("resources"))
    }
}
