// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("What a sign-in asks for beside the scopes")
struct SignInParametersTests {
    @Test("Claims, context classes, resources and details go with the request")
    func sent() async throws {
        let world = try World()
        let options = SignInOptions.with {
            $0.acrValues = ["gold"]
            $0.claims = ClaimsRequest(idToken: ["auth_time": .essential])
            $0.resources = ["https://api.example/"]
            $0.authorizationDetails = [AuthorizationDetail(type: "payment")]
        }
        _ = try await world.signIn.signIn(scopes: [.openID], options: options)
        #expect(world.userAgent.parameter("acr_values") == "gold")
        #expect(world.userAgent.parameter("claims") == #"{"id_token":{"auth_time":{"essential":true}}}"#)
        #expect(world.userAgent.parameter("resource") == "https://api.example/")
        #expect(world.userAgent.parameter("authorization_details") == #"[{"type":"payment"}]"#)
    }

    @Test("An essential claim that the ID token does not have ends the sign-in", .covers(93))
    func essential() async throws {
        let world = try World()
        let acr = ClaimsRequest.Claim(isEssential: true, values: ["gold"])
        let options = SignInOptions.with { $0.claims = ClaimsRequest(idToken: ["acr": acr]) }
        await #expect {
            try await world.signIn.signIn(scopes: [.openID], options: options)
        } throws: {
            ProtocolViolationError.Rule.idTokenAuthenticationContext ~= $0
        }
        #expect(world.store.count(.save) == 0)
    }

    @Test("Resources are kept: the code's exchange, every refresh and more scopes name them again")
    func resources() async throws {
        let world = try World()
        let resources = ["https://api.example/"]
        let session = try await world.signIn.signIn(
            scopes: [.openID],
            options: .with { $0.resources = resources }
        )
        world.expire()
        _ = try await session.accessToken()
        #expect(world.network.requests("/token").map { $0.formValue("resource") } == resources + resources)
        _ = try await world.signIn.addScopes([World.drive], to: session)
        #expect(world.userAgent.parameter("resource") == resources[0])
        let record = session.record
        #expect(record.resources == resources)
        #expect(try SessionRecord(decoding: record.encoded(), place: "test") == record)
        let plain = try await World().session().record
        #expect(plain.resources == [])
        #expect(!String(decoding: plain.encoded(), as: UTF8.self).contains("resources"))
    }
}
