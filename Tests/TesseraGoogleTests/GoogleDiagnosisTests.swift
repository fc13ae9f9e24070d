// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGoogle
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Diagnosis of Google sessions")
struct GoogleDiagnosisTests {
    private static let consent = Date(timeIntervalSince1970: 1_700_000_000)
    private static let revoked = OAuthError(.invalidGrant, serverDescription: "Token has been expired or revoked.")

    /// The history of a session, with times in days after the consent.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var scopes: [Scope] = ["https://www.googleapis.com/auth/drive.readonly"]
        /// The last successful refresh.
        var last: Double?
        var end: Double
        var statedEnd: Double?
        var signIns: Int64 = 1
        var reason: SessionEndedError.Code = .refused
        var refusal = GoogleDiagnosisTests.revoked
        var expected: [(Finding.Code, Finding.Certainty)]
    }

    static let gmail: [Scope] = ["https://www.googleapis.com/auth/gmail.readonly"]
    static let cases: [Case] = [
        Case(
            testDescription: "rejected after 7 days, last used the day before",
            last: 6.5,
            end: 7.2,
            expected: [(.testingClient, .likely), (.revoked, .possible), (.tooManySignIns, .possible)]
        ),
        Case(
            testDescription: "rejected after 60 days, last used on day 2, before the 7-day limit",
            last: 2,
            end: 60,
            expected: [(.testingClient, .possible), (.revoked, .possible), (.tooManySignIns, .possible)]
        ),
        Case(
            testDescription: "last used on day 9, so not in testing",
            last: 9,
            end: 10,
            expected: [(.revoked, .possible), (.tooManySignIns, .possible)]
        ),
        Case(
            testDescription: "identity scopes do not expire in testing",
            scopes: [.openID, .email, .profile, "https://www.googleapis.com/auth/userinfo.email"],
            last: 6,
            end: 8,
            expected: [(.revoked, .possible), (.tooManySignIns, .possible)]
        ),
        Case(
            testDescription: "stated expiration after 7 days, as in testing",
            last: 6,
            end: 7.01,
            statedEnd: 6.99999,
            expected: [(.testingClient, .likely), (.revoked, .possible), (.tooManySignIns, .possible)]
        ),
        Case(
            testDescription: "stated expiration is certain",
            last: 1,
            end: 2.5,
            statedEnd: 2,
            expected: [(.timeLimitedAccess, .certain)]
        ),
        Case(
            testDescription: "stated expiration in the future explains nothing",
            last: 6,
            end: 8,
            statedEnd: 30,
            expected: [(.revoked, .possible), (.tooManySignIns, .possible)]
        ),
        Case(
            testDescription: "idle for seven months",
            last: 10,
            end: 222,
            expected: [(.idle, .likely), (.revoked, .possible), (.tooManySignIns, .possible)]
        ),
        Case(
            testDescription: "Gmail scope, possibly a changed password",
            scopes: gmail,
            last: 20,
            end: 20.1,
            expected: [(.passwordChanged, .possible), (.revoked, .possible), (.tooManySignIns, .possible)]
        ),
        Case(
            testDescription: "many sign-ins",
            last: 1,
            end: 2,
            signIns: 70,
            expected: [(.tooManySignIns, .likely), (.revoked, .possible)]
        ),
        Case(
            testDescription: "organization policy",
            last: 1,
            end: 2,
            refusal: OAuthError(.invalidGrant, serverDescription: "reauth related error", subtype: "invalid_rapt"),
            expected: [(.reauthentication, .certain)]
        ),
        Case(
            testDescription: "interrupted refresh",
            last: 1,
            end: 2,
            reason: .interrupted,
            expected: [(.interruptedRefresh, .likely), (.revoked, .possible), (.tooManySignIns, .possible)]
        ),
        Case(
            testDescription: "refresh token used by another process",
            last: 1,
            end: 2,
            refusal: OAuthError(.invalidGrant, serverDescription: "The refresh token was replaced by a newer one"),
            expected: [(.refreshTokenReuse, .likely), (.revoked, .possible), (.tooManySignIns, .possible)]
        ),
    ]

    @Test("Explains a rejection by the session history and Google's error", arguments: cases)
    func explained(_ example: Case) throws {
        let record = try Self.record(example)
        let findings = Diagnosis(of: record, now: record.history.endedAt ?? Self.consent).findings
        #expect(findings.map(\.code) == example.expected.map(\.0), "\(findings)")
        #expect(findings.map(\.certainty) == example.expected.map(\.1), "\(findings)")
        for finding in findings {
            #expect(!finding.description.contains("\n"))
            #expect(finding.cause.hasSuffix("."), "\(finding)")
            #expect(finding.fix.hasSuffix("."), "\(finding)")
            #expect(finding.cause.count < 220, "\(finding)")
            #expect(finding.fix.count < 220, "\(finding)")
        }
    }

    @Test("Reports the same reason a year later, based on the time of the rejection")
    func later() throws {
        let record = try Self.record(Self.cases[0])
        let later = Self.consent.addingTimeInterval(400 * 86_400)
        #expect(Diagnosis(of: record, now: later).findings.first?.code == .testingClient)
    }

    @Test(
        "Reports Google's client and organization errors with certainty, for any session",
        arguments: [
            ("deleted_client", .clientDeleted), ("invalid_client", .clientRefused),
            ("admin_policy_enforced", .adminPolicy), ("org_internal", .organizationOnly),
            ("unauthorized_client", .clientUnauthorized),
        ] as [(String, Finding.Code)]
    )
    func codes(_ name: String, _ code: Finding.Code) {
        let error = OAuthError(OAuthError.Code(rawValue: name), serverDescription: "Words.", status: 401)
        let findings = Diagnosis(of: error, policy: .google, now: Self.consent).findings
        #expect(findings.map(\.code) == [code])
        #expect(findings.first?.certainty == .certain)
        #expect(findings.first?.cause.contains(name) == true)
    }

    @Test("Warns before a session expires at a stated time or from lack of use")
    func ahead() throws {
        func codes(_ example: Case, day: Double) throws -> [Finding.Code] {
            var record = try Self.record(example)
            record.tokens = try SessionRecord.sample(for: record.account).tokens
            record.history.endedAt = nil
            record.history.endReason = nil
            record.history.refusal = nil
            return Diagnosis(of: record, now: Self.consent.addingTimeInterval(day * 86_400)).findings.map(\.code)
        }
        let plain = Case(testDescription: "", last: 1, end: 0, expected: [])
        #expect(try codes(plain, day: 100).isEmpty)
        #expect(try codes(plain, day: 160) == [.idle])
        let limited = Case(testDescription: "", last: 1, end: 0, statedEnd: 30, expected: [])
        #expect(try codes(limited, day: 20).isEmpty)
        #expect(try codes(limited, day: 28) == [.timeLimitedAccess])
        let testing = Case(testDescription: "", last: 1, end: 0, statedEnd: 7, expected: [])
        #expect(try codes(testing, day: 5) == [.testingClient])
    }

    @Test("Restores Google's refresh token policy for stored sessions of Google only")
    func rules() throws {
        var google = try Provider.google(client: OAuthClient(clientID: "client"))
        #expect(google.refreshTokenPolicy?.signInLimit == 100)
        google.refreshTokenPolicy = nil
        #expect(google.recognizingGoogle.refreshTokenPolicy?.signInLimit == 100)
        google.refreshTokenPolicy = RefreshTokenPolicy(name: "google")
        #expect(google.recognizingGoogle.refreshTokenPolicy?.signInLimit == 100)
        let other = Provider(issuer: try Issuer("https://id.example"), client: OAuthClient(clientID: "client"))
        #expect(other.recognizingGoogle.refreshTokenPolicy == nil)
    }

    private static func record(_ example: Case) throws -> SessionRecord {
        let account = Account(issuer: "https://accounts.google.com", clientID: "client", subject: "ada")
        var record = try SessionRecord.sample(for: account)
        record.provider = try .google(client: OAuthClient(clientID: "client"))
        record.grantedScopes = GrantedScopes(
            requested: example.scopes,
            granted: example.scopes,
            aliases: record.provider.scopeAliases
        )
        record.tokens = nil
        func date(_ days: Double) -> Date { Self.consent.addingTimeInterval(days * 86_400) }
        record.history = SessionHistory(
            consentedAt: Self.consent,
            lastRefreshAt: example.last.map(date),
            refreshCount: example.last == nil ? 0 : 3,
            refreshTokenExpiresAt: example.statedEnd.map(date),
            endedAt: date(example.end),
            endReason: example.reason.description,
            signInCount: example.signIns,
            refusal: example.refusal
        )
        return record
    }
}
