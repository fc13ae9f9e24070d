// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Diagnosis of ended sessions")
struct DiagnosisTests {
    private static let policy = RefreshTokenPolicy(
        name: "example",
        testingLifetime: 7 * 86_400,
        harmlessScopes: [.openID, .email],
        signInLimit: 100
    )

    @Test("Explains a rejected session in the error, and again after a restart without a request")
    func explained() async throws {
        let environment = try TestEnvironment { $0.refreshTokenPolicy = Self.policy }
        let session = try await environment.session([.openID, TestEnvironment.drive])
        environment.network.clock.advance(by: .seconds(8 * 86_400))
        environment.network.revokeEverything()
        let end = try await #require(Self.end { try await session.accessToken() })
        #expect(end.code == .refused)
        #expect(end.findings.first?.code == .testingClient)
        #expect(end.explanation?.certainty == .likely)
        #expect(end.description.contains("Likely: The refresh token was rejected 8 days after consent"))
        #expect(end.recoverySuggestion == end.findings.first?.fix)
        let record = try #require(try await environment.store.load(session.account))
        #expect(record.history.refusal?.code == .invalidGrant)
        let requests = environment.network.requests.count
        let again = SessionEndedError(of: record, policy: Self.policy, now: environment.network.runtime.now())
        #expect(again == end)
        // A decoded record contains only the name of the policy, so it leads to fewer findings.
        let decoded = try SessionRecord(decoding: record.encoded(), location: "memory")
        let undetailed = SessionEndedError(of: decoded, now: environment.network.runtime.now())
        #expect(undetailed.cause == record.history.refusal)
        #expect(undetailed.findings.map(\.code) == [.revoked])
        #expect(environment.network.requests.count == requests)
    }

    @Test("Suggests a copied session as a cause if the provider replaces refresh tokens")
    func rotation() async throws {
        let environment = try TestEnvironment { $0.refreshTokenPolicy = Self.policy }
        let session = try await environment.session([.openID, TestEnvironment.drive])
        var record = try #require(try await environment.store.load(session.account))
        record.tokens = nil
        record.history.endedAt = environment.network.runtime.now()
        record.history.endReason = SessionEndedError.Code.refused.description
        func findings() -> [Finding.Code] {
            Diagnosis(of: record, policy: Self.policy, now: environment.network.runtime.now()).findings.map(\.code)
        }
        record.history.refreshTokenReplacedAt = nil
        #expect(!findings().contains(.refreshTokenReuse))
        record.history.refreshTokenReplacedAt = record.history.consentedAt
        #expect(findings().contains(.refreshTokenReuse))
    }

    @Test("Measures clock skew at the token endpoint, and saves and reports it")
    func skew() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        let date = environment.network.runtime.now().addingTimeInterval(-600)
        environment.tokenEndpoint { _ in
            .json(
                #"{"error": "invalid_grant"}"#,
                status: .badRequest,
                headerFields: [.date: Self.httpDate(date)]
            )
        }
        let end = try await #require(Self.end { try await session.accessToken() })
        #expect(end.findings.first?.code == .wrongClock)
        #expect(end.findings.first?.cause == "This computer's clock is 9 minutes ahead of the provider's clock.")
        let record = try #require(try await environment.store.load(session.account))
        #expect(record.history.clockSkew == 599)
    }

    @Test(
        "Computes the smallest clock skew that an exchange proves",
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

    @Test("Counts sign-ins, and reports no findings for a valid session")
    func count() async throws {
        let environment = try TestEnvironment { $0.refreshTokenPolicy = Self.policy }
        _ = try await environment.session()
        let session = try await environment.session()
        #expect(session.record.history.signInCount == 2)
        #expect(session.findings().isEmpty)
    }

    @Test("Describes a time span in the largest unit of which it contains at least two")
    func spans() {
        let texts = [0, 1, 119, 120, 7_199, 7_200, 172_799, 172_800, 604_800, -5].map { TimeDescription.span($0) }
        #expect(
            texts == [
                "0 seconds", "1 second", "119 seconds", "2 minutes", "119 minutes", "2 hours", "47 hours", "2 days",
                "7 days", "0 seconds",
            ]
        )
    }

    @Test("Reports a finding with a fix for each store or network failure", arguments: failures)
    func surroundings(_ error: any ErrorGuidance, _ code: Finding.Code) {
        let findings = Diagnosis(of: error, now: Date(timeIntervalSince1970: 0)).findings
        #expect(findings.map(\.code) == [code])
        #expect(findings.allSatisfy { !$0.fix.isEmpty })
        #expect(findings.allSatisfy { !$0.cause.contains("\n") })
    }

    private static let failures: [(any ErrorGuidance, Finding.Code)] = [
        (StoreError(.locked, location: StoreError.secretServiceLocation), .keyringLocked),
        (StoreError(.unavailable, location: StoreError.secretServiceLocation), .keyringAbsent),
        (StoreError(.notPersisted, location: "x"), .storeLosesData),
        (StoreError(.full, location: "x"), .storeUnwritable),
        (StoreError(.permissionDenied, location: "x"), .storeUnwritable),
        (StoreError(.corrupt, location: "x"), .storeDamaged),
        (TransportError(.tls, host: "x.example"), .interceptedTLS), (TransportError(.unusableProxy), .proxy),
        (TransportError(.nameResolution), .unreachable), (TransportError(.unusableLibrary), .unreachable),
        (OAuthError(.invalidClient), .clientRefused),
        (OAuthError(.unauthorizedClient), .clientUnauthorized),
    ]

    @Test("Attributes an expired certificate to the clock, and any other to its issuer")
    func certificates() {
        let now = Date(timeIntervalSince1970: 1_000_000)
        let valid = ServerCertificate(issuer: "Corp CA", validFrom: now - 9, validUntil: now + 9)
        let expired = ServerCertificate(issuer: "Corp CA", validFrom: now - 9, validUntil: now - 1)
        let policy = RefreshTokenPolicy(name: "x", certificateIssuers: ["x.example": "Corp CA"])
        func code(_ certificate: ServerCertificate, _ expected: RefreshTokenPolicy?) -> Finding? {
            Diagnosis.rejectedCertificate(certificate, at: "x.example", policy: expected, now: now)
        }
        #expect(code(expired, nil)?.code == .wrongClock)
        #expect(code(valid, nil)?.certainty == .likely)
        #expect(code(valid, nil)?.cause.contains("signed by “Corp CA”") == true)
        #expect(code(valid, policy)?.certainty == .possible)
        #expect(Diagnosis.unusualCertificate(valid, at: "x.example", policy: policy) == nil)
        let other = ServerCertificate(issuer: "Proxy", validFrom: now, validUntil: now)
        #expect(Diagnosis.unusualCertificate(other, at: "x.example", policy: policy)?.code == .interceptedTLS)
        #expect(Diagnosis.unusualCertificate(other, at: "y.example", policy: policy) == nil)
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
