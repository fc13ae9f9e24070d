// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("What explains the end of a session")
struct DiagnosisTests {
    private static let rules = GrantRules(
        name: "example",
        testingLifetime: 7 * 86_400,
        harmlessScopes: [.openID, .email],
        signInLimit: 100
    )

    @Test("A refused session says why in the error itself, and says the same after a restart, without a request")
    func explained() async throws {
        let world = try World { $0.grantRules = Self.rules }
        let session = try await world.session([.openID, World.drive])
        world.network.clock.advance(by: .seconds(8 * 86_400))
        world.network.revokeEverything()
        let end = try await #require(Self.end { try await session.accessToken() })
        #expect(end.code == .refused)
        #expect(end.findings.first?.code == .testingClient)
        #expect(end.explanation?.certainty == .likely)
        #expect(end.description.contains("Likely: Refused 8 days after the consent"))
        #expect(end.recoverySuggestion == end.findings.first?.fix)
        let record = try #require(try await world.store.load(session.account))
        #expect(record.history.refusal?.code == .invalidGrant)
        let requests = world.network.requests.count
        let again = SessionEndedError(of: record, rules: Self.rules, now: world.network.runtime.now())
        #expect(again == end)
        // A record of its own keeps the rules by name only: less is known, and nothing wrong.
        let read = try SessionRecord(decoding: record.encoded(), place: "memory")
        let bare = SessionEndedError(of: read, now: world.network.runtime.now())
        #expect(bare.cause == record.history.refusal)
        #expect(bare.findings.map(\.code) == [.revoked])
        #expect(world.network.requests.count == requests)
    }

    @Test("Where the provider was seen to replace refresh tokens, a copy of the session elsewhere is a possible reason")
    func rotation() async throws {
        let world = try World { $0.grantRules = Self.rules }
        let session = try await world.session([.openID, World.drive])
        var record = try #require(try await world.store.load(session.account))
        record.tokens = nil
        record.history.endedAt = world.network.runtime.now()
        record.history.endReason = SessionEndedError.Code.refused.description
        func findings() -> [Finding.Code] {
            Diagnosis(of: record, rules: Self.rules, now: world.network.runtime.now()).findings.map(\.code)
        }
        record.history.refreshTokenReplacedAt = nil
        #expect(!findings().contains(.twoOwners))
        record.history.refreshTokenReplacedAt = record.history.consentedAt
        #expect(findings().contains(.twoOwners))
    }

    @Test("The clock's error is measured at the answers of the token endpoint, kept, and told")
    func skew() async throws {
        let world = try World()
        let session = try await world.staleSession()
        let date = world.network.runtime.now().addingTimeInterval(-600)
        world.tokenEndpoint { _ in
            .json(
                #"{"error": "invalid_grant"}"#,
                status: .badRequest,
                headerFields: [.date: Self.httpDate(date)]
            )
        }
        let end = try await #require(Self.end { try await session.accessToken() })
        #expect(end.findings.first?.code == .wrongClock)
        #expect(end.findings.first?.found == "The clock here is 9 minutes ahead of the provider's.")
        let record = try #require(try await world.store.load(session.account))
        #expect(record.history.clockSkew == 599)
    }

    @Test(
        "A difference of clocks is what one exchange can prove, and no more",
        arguments: [
            (0, 100, 100, 99), (99.5, 99.9, 100.2, 0), (90, 100, 100, 9), (110, 100, 100, -10), (105, 100, 110, 0),
            (100, 95, 105, 0),
        ] as [(Double, Double, Double, Int64)]
    )
    func bounds(server: Double, sent: Double, received: Double, expected: Int64) {
        let date = { (seconds: Double) in Date(timeIntervalSince1970: seconds) }
        #expect(
            ClockSkew.seconds(serverDate: date(server), sentAt: date(sent), receivedAt: date(received)) == expected
        )
    }

    @Test("Signing in again counts, and a session that lives and is well has no findings")
    func count() async throws {
        let world = try World { $0.grantRules = Self.rules }
        _ = try await world.session()
        let session = try await world.session()
        #expect(session.record.history.signInCount == 2)
        #expect(session.findings().isEmpty)
    }

    @Test("Spans of time are said in the largest unit of which there are two")
    func spans() {
        let texts = [0, 1, 119, 120, 7_199, 7_200, 172_799, 172_800, 604_800, -5].map { SpokenTime.span($0) }
        #expect(
            texts == [
                "0 seconds", "1 second", "119 seconds", "2 minutes", "119 minutes", "2 hours", "47 hours", "2 days",
                "7 days", "0 seconds",
            ]
        )
    }

    @Test("A store's and a network's failure are findings with a fix", arguments: failures)
    func surroundings(_ error: any ErrorGuidance, _ code: Finding.Code) {
        let findings = Diagnosis(of: error, now: Date(timeIntervalSince1970: 0)).findings
        #expect(findings.map(\.code) == [code])
        #expect(findings.allSatisfy { !$0.fix.isEmpty })
        #expect(findings.allSatisfy { !$0.found.contains("\n") })
    }

    private static let failures: [(any ErrorGuidance, Finding.Code)] = [
        (StoreError(.locked, place: StoreError.secretServicePlace), .keyringLocked),
        (StoreError(.unavailable, place: StoreError.secretServicePlace), .keyringAbsent),
        (StoreError(.notKept, place: "x"), .storeLies), (StoreError(.full, place: "x"), .storeUnwritable),
        (StoreError(.permissionDenied, place: "x"), .storeUnwritable),
        (StoreError(.corrupt, place: "x"), .storeDamaged),
        (TransportError(.tls, host: "x.example"), .interceptedTLS), (TransportError(.unusableProxy), .proxy),
        (TransportError(.nameResolution), .unreachable), (TransportError(.unusableLibrary), .unreachable),
        (OAuthError(.invalidClient), .clientRefused),
        (OAuthError(.unauthorizedClient), .clientUnauthorized),
    ]

    @Test("A certificate that is not valid by the clock here speaks of the clock, any other of who signed it")
    func certificates() {
        let now = Date(timeIntervalSince1970: 1_000_000)
        let good = ServerCertificate(issuer: "Corp CA", validFrom: now - 9, validUntil: now + 9)
        let old = ServerCertificate(issuer: "Corp CA", validFrom: now - 9, validUntil: now - 1)
        let usual = GrantRules(name: "x", certificateIssuers: ["x.example": "Corp CA"])
        func code(_ shown: ServerCertificate, _ rules: GrantRules?) -> Finding? {
            Diagnosis.rejectedCertificate(shown, at: "x.example", rules: rules, now: now)
        }
        #expect(code(old, nil)?.code == .wrongClock)
        #expect(code(good, nil)?.certainty == .likely)
        #expect(code(good, nil)?.found.contains("signed by “Corp CA”") == true)
        #expect(code(good, usual)?.certainty == .possible)
        #expect(Diagnosis.unusualCertificate(good, at: "x.example", rules: usual) == nil)
        let other = ServerCertificate(issuer: "Proxy", validFrom: now, validUntil: now)
        #expect(Diagnosis.unusualCertificate(other, at: "x.example", rules: usual)?.code == .interceptedTLS)
        #expect(Diagnosis.unusualCertificate(other, at: "y.example", rules: usual) == nil)
    }

    private static func end(_ call: () async throws -> AccessToken) async throws -> SessionEndedError? {
        do {
            _ = try await call()
            return nil
        } catch let end as SessionEndedError {
            return end
        }
    }

    private static func httpDate(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }
}
