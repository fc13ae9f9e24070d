// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// A transport whose responses contain the date of the provider's clock.
private struct DatedTransport: HTTPTransport {
    let network: ScriptedProvider

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        var (response, body) = try await self.network.send(request, body: body)
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        response.headerFields[.date] = formatter.string(from: self.network.clock.date)
        return (response, body)
    }
}

@Suite("Clock differences between client and provider")
struct WrongClockTests {
    /// Creates a sign-in on a machine whose clock is `ahead` seconds ahead of the provider's.
    private static func signIn(_ environment: TestEnvironment, ahead: Double, tellsTime: Bool = true) throws -> SignIn {
        let network = environment.network
        var runtime = network.runtime
        runtime.now = { network.clock.date + ahead }
        if tellsTime { runtime.transport = DatedTransport(network: network) }
        return SignIn(
            try network.provider,
            runtime: runtime,
            store: environment.store,
            userAgent: environment.userAgent
        )
    }

    @Test(
        "Refreshes once with a wrong clock, reuses the tokens, and records the clock skew",
        .covers(145),
        arguments: [
            (-600, true), (-600, false), (-7_200, true), (-7_200, false), (600, true), (600, false), (7_200, true),
        ] as [(Double, Bool)]
    )
    func refresh(_ ahead: Double, tellsTime: Bool) async throws {
        let environment = try TestEnvironment()
        let first = try await environment.session()
        let oldIDToken = first.idToken
        environment.expire()
        for round in 1...2 {
            let session = try #require(
                try await Self.signIn(environment, ahead: ahead, tellsTime: tellsTime).restore(first.account)
            )
            let token = try await session.refresh()
            #expect(environment.network.refreshes.count == round)
            for _ in 0..<5 {
                let later = try #require(
                    try await Self.signIn(environment, ahead: ahead, tellsTime: tellsTime).restore(first.account)
                )
                #expect(try await later.accessToken() == token)
                await later.settle()
            }
            #expect(environment.network.refreshes.count == round)
            #expect(session.idToken != nil)
            #expect(session.idToken != oldIDToken)
            let skew = session.record.history.clockSkew.map(Double.init)
            if tellsTime || ahead < 0 {
                #expect(abs(try #require(skew) - ahead) <= 1)
                #expect(session.findings().contains { $0.code == .wrongClock })
            } else {
                #expect(skew == nil)
            }
            environment.expire()
        }
        let sent = environment.network.refreshes.compactMap { $0.formValue("refresh_token") }
        #expect(Set(sent).count == 2)
    }

    @Test("Refreshes a restored session once with a clock that is 10 minutes slow", .covers(145))
    func restored() async throws {
        let environment = try TestEnvironment()
        let account = try await environment.session().account
        for _ in 0..<5 {
            let session = try #require(try await Self.signIn(environment, ahead: -600).restore(account))
            _ = try await session.accessToken()
            await session.settle()
        }
        #expect(environment.network.refreshes.count == 1)
    }

    @Test(
        "Ends the session for another user, audience or claim even if the clock is wrong",
        .covers(145),
        arguments: [
            (ForgedClaim("sub", "eve", .idTokenContinuity), .identityChanged),
            (ForgedClaim("aud", "other-client", .jwtAudience), .identityChanged),
            (ForgedClaim("hd", "other.example", .idTokenRequiredClaim), .claimChanged),
        ] as [(ForgedClaim, SessionEndedError.Code)]
    )
    func forgedClaims(_ forgedClaim: ForgedClaim, _ end: SessionEndedError.Code) async throws {
        let environment = try TestEnvironment()
        let options = SignInOptions(requiredClaims: ["hd": "example.com"])
        let account = try await environment.signIn.signIn(scopes: [.openID], options: options).account
        environment.network.options.idTokens = { [network = environment.network] claims, _ in
            var claims = claims
            forgedClaim.change(&claims)
            return try network.sign(claims)
        }
        let session = try #require(try await Self.signIn(environment, ahead: -600).restore(account))
        await #expect(throws: SessionEndedError(end)) { try await session.refresh() }
    }

    @Test(
        "Rejects an ID token whose times clock skew cannot explain",
        .covers(145),
        arguments: [
            (-3_600, 0, true), (600, -600, true), (90_000, 0, false), (-90_000, 0, false),
        ] as [(Int64, Double, Bool)]
    )
    func unexplained(_ shift: Int64, ahead: Double, tellsTime: Bool) async throws {
        let environment = try TestEnvironment()
        let account = try await environment.session().account
        environment.network.options.idTokens = { [network = environment.network] claims, _ in
            try network.sign(
                claims.map { claim in
                    guard ["iat", "exp"].contains(claim.name), case .integer(let time) = claim.value else {
                        return claim
                    }
                    let earlier: Int64 = claim.name == "exp" ? 1_000 : 0
                    return JSONMember(name: claim.name, value: .integer(time + shift - earlier))
                }
            )
        }
        let session = try #require(
            try await Self.signIn(environment, ahead: ahead, tellsTime: tellsTime).restore(account)
        )
        await #expect { try await session.refresh() } throws: { ProtocolViolationError.Rule.jwtTime ~= $0 }
        #expect(session.ended == nil)
    }

    @Test(
        "Fails a sign-in with a slow clock, saves nothing, and reports the clock difference",
        .covers(145)
    )
    func signIn() async throws {
        let environment = try TestEnvironment()
        let signIn = try Self.signIn(environment, ahead: -600)
        let error = await #expect(throws: ProtocolViolationError.self) { try await signIn.signIn(scopes: [.openID]) }
        let violation = try #require(error)
        #expect(violation.rule == .jwtTime)
        #expect(violation.description.contains("600 s ahead by this machine's clock"))
        #expect(violation.recoverySuggestion?.contains("clock") == true)
        #expect(Diagnosis(of: violation, now: Date()).findings.map(\.code) == [.wrongClock])
        #expect(environment.store.count(.save) == 0)
    }
}
