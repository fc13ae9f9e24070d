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

/// A provider whose responses name the time of its clock.
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

@Suite("A clock that differs from the provider's")
struct WrongClockTests {
    /// A process on a machine whose clock is ahead of the provider's, or behind it.
    private static func signIn(_ world: World, ahead: Double, tellsTime: Bool = true) throws -> SignIn {
        let network = world.network
        var runtime = network.runtime
        runtime.now = { network.clock.date + ahead }
        if tellsTime { runtime.transport = DatedTransport(network: network) }
        return SignIn(try network.provider, runtime: runtime, store: world.store, userAgent: world.userAgent)
    }

    @Test(
        "One refresh saves usable tokens, later processes use them while they are fresh, and the difference is known",
        .covers(145),
        arguments: [
            (-600, true), (-600, false), (-7_200, true), (-7_200, false), (600, true), (600, false), (7_200, true),
        ] as [(Double, Bool)]
    )
    func refresh(_ ahead: Double, tellsTime: Bool) async throws {
        let world = try World()
        let first = try await world.session()
        let oldIDToken = first.idToken
        world.expire()
        for round in 1...2 {
            let session = try #require(
                try await Self.signIn(world, ahead: ahead, tellsTime: tellsTime).restore(first.account)
            )
            let token = try await session.refresh()
            #expect(world.network.refreshes.count == round)
            for _ in 0..<5 {
                let later = try #require(
                    try await Self.signIn(world, ahead: ahead, tellsTime: tellsTime).restore(first.account)
                )
                #expect(try await later.accessToken() == token)
                await later.settle()
            }
            #expect(world.network.refreshes.count == round)
            #expect(session.idToken != nil)
            #expect(session.idToken != oldIDToken)
            let skew = session.record.history.clockSkew.map(Double.init)
            if tellsTime || ahead < 0 {
                #expect(abs(try #require(skew) - ahead) <= 1)
                #expect(session.findings().contains { $0.code == .wrongClock })
            } else {
                #expect(skew == nil)
            }
            world.expire()
        }
        let sent = world.network.refreshes.compactMap { $0.formValue("refresh_token") }
        #expect(Set(sent).count == 2)
    }

    @Test("A session whose clock was set back by 10 minutes is refreshed once, not by every process", .covers(145))
    func restored() async throws {
        let world = try World()
        let account = try await world.session().account
        for _ in 0..<5 {
            let session = try #require(try await Self.signIn(world, ahead: -600).restore(account))
            _ = try await session.accessToken()
            await session.settle()
        }
        #expect(world.network.refreshes.count == 1)
    }

    @Test(
        "A wrong clock excuses nothing but times: another user or a contradicted claim still ends the session",
        .covers(145),
        arguments: [
            (Lie("sub", "eve", .idTokenContinuity), .identityChanged),
            (Lie("aud", "other-client", .jwtAudience), .identityChanged),
            (Lie("hd", "other.example", .idTokenRequiredClaim), .claimChanged),
        ] as [(Lie, SessionEndedError.Code)]
    )
    func lies(_ lie: Lie, _ end: SessionEndedError.Code) async throws {
        let world = try World()
        let options = SignInOptions(requiredClaims: ["hd": "example.com"])
        let account = try await world.signIn.signIn(scopes: [.openID], options: options).account
        world.network.options.idTokens = { [network = world.network] claims, _ in
            var claims = claims
            lie.change(&claims)
            return try network.sign(claims)
        }
        let session = try #require(try await Self.signIn(world, ahead: -600).restore(account))
        await #expect(throws: SessionEndedError(end)) { try await session.refresh() }
    }

    @Test(
        "An ID token whose times no clock explains is rejected: not the provider's, nor a difference of at most a day",
        .covers(145),
        arguments: [
            (-3_600, 0, true), (600, -600, true), (90_000, 0, false), (-90_000, 0, false),
        ] as [(Int64, Double, Bool)]
    )
    func unexplained(_ shift: Int64, ahead: Double, tellsTime: Bool) async throws {
        let world = try World()
        let account = try await world.session().account
        world.network.options.idTokens = { [network = world.network] claims, _ in
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
            try await Self.signIn(world, ahead: ahead, tellsTime: tellsTime).restore(account)
        )
        await #expect { try await session.refresh() } throws: { ProtocolViolationError.Rule.jwtTime ~= $0 }
        #expect(session.ended == nil)
    }

    @Test(
        "A sign-in with a clock 10 minutes slow fails, saves nothing, and names the clock and the difference",
        .covers(145)
    )
    func signIn() async throws {
        let world = try World()
        let signIn = try Self.signIn(world, ahead: -600)
        let error = await #expect(throws: ProtocolViolationError.self) { try await signIn.signIn(scopes: [.openID]) }
        let violation = try #require(error)
        #expect(violation.rule == .jwtTime)
        #expect(violation.description.contains("600 s ahead by this machine's clock"))
        #expect(violation.recoverySuggestion?.contains("clock") == true)
        #expect(Diagnosis(of: violation, now: Date()).findings.map(\.code) == [.wrongClock])
        #expect(world.store.count(.save) == 0)
    }
}
