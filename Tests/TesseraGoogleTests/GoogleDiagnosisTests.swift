// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGoogle
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Why Google ends a session")
struct GoogleDiagnosisTests {
    private static let consent = Date(timeIntervalSince1970: 1_700_000_000)
    private static let revoked = OAuthError(.invalidGrant, serverDescription: "Token has been expired or revoked.")

    /// Days after the consent.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var scopes: [Scope] = ["https://www.googleapis.com/auth/drive.readonly"]
        /// The last refresh that worked.
        var last: Double?
        var end: Double
        var namedEnd: Double?
        var signIns: Int64 = 1
        var reason: SessionEndedError.Code = .refused
        var refusal = GoogleDiagnosisTests.revoked
        var expected: [(Finding.Code, Finding.Certainty)]
    }

    static let gmail: [Scope] = ["https://www.googleapis.com/auth/gmail.readonly"]
    static let cases: [Case] = [
        Case(
            testDescription: "refused after 7 days, used the day before",
            last: 6.5,
            end: 7.2,
            expected: [(.testingClient, .likely), (.revoked, .possible), (.tooManySignIns, .possible)]
        ),
        Case(
            testDescription: "refused after 60 days, used on day 2: the 7th lies between",
            last: 2,
            end: 60,
            expected: [(.testingClient, .possible), (.revoked, .possible), (.tooManySignIns, .possible)]
        ),
        Case(
            testDescription: "used on day 9: not in testing",
            last: 9,
            end: 10,
            expected: [(.revoked, .possible), (.tooManySignIns, .possible)]
        ),
        Case(
            testDescription: "name and address alone do not end in testing",
            scopes: [.openID, .email, .profile, "https://www.googleapis.com/auth/userinfo.email"],
            last: 6,
            end: 8,
            expected: [(.revoked, .possible), (.tooManySignIns, .possible)]
        ),
        Case(
            testDescription: "a named end after 7 days is that of a client in testing",
            last: 6,
            end: 7.01,
            namedEnd: 6.99999,
            expected: [(.testingClient, .likely), (.revoked, .possible), (.tooManySignIns, .possible)]
        ),
        Case(
            testDescription: "a named end is certain",
            last: 1,
            end: 2.5,
            namedEnd: 2,
            expected: [(.timeLimitedGrant, .certain)]
        ),
        Case(
            testDescription: "a named end that had not come explains nothing",
            last: 6,
            end: 8,
            namedEnd: 30,
            expected: [(.revoked, .possible), (.tooManySignIns, .possible)]
        ),
        Case(
            testDescription: "idle for seven months",
            last: 10,
            end: 222,
            expected: [(.idle, .likely), (.revoked, .possible), (.tooManySignIns, .possible)]
        ),
        Case(
            testDescription: "mail, a new password",
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
            testDescription: "an organisation's policy",
            last: 1,
            end: 2,
            refusal: OAuthError(.invalidGrant, serverDescription: "reauth related error", subtype: "invalid_rapt"),
            expected: [(.reauthentication, .certain)]
        ),
        Case(
            testDescription: "interrupted",
            last: 1,
            end: 2,
            reason: .interrupted,
            expected: [(.interruptedRefresh, .likely), (.revoked, .possible), (.tooManySignIns, .possible)]
        ),
        Case(
            testDescription: "a token that another program had used",
            last: 1,
            end: 2,
            refusal: OAuthError(.invalidGrant, serverDescription: "The refresh token was replaced by a newer one"),
            expected: [(.twoOwners, .likely), (.revoked, .possible), (.tooManySignIns, .possible)]
        ),
    ]

    @Test("The history and Google's words say which of its reasons it was", arguments: cases)
    func explained(_ example: Case) throws {
        let record = try Self.record(example)
        let findings = Diagnosis(of: record, now: record.history.endedAt ?? Self.consent).findings
        #expect(findings.map(\.code) == example.expected.map(\.0), "\(findings)")
        #expect(findings.map(\.certainty) == example.expected.map(\.1), "\(findings)")
        for finding in findings {
            #expect(!finding.description.contains("\n"))
            #expect(finding.found.hasSuffix("."), "\(finding)")
            #expect(finding.fix.hasSuffix("."), "\(finding)")
            #expect(finding.found.count < 220, "\(finding)")
            #expect(finding.fix.count < 220, "\(finding)")
        }
    }

    @Test("A year after the end the reason is the same: what counts is the moment of the refusal")
    func later() throws {
        let record = try Self.record(Self.cases[0])
        let later = Self.consent.addingTimeInterval(400 * 86_400)
        #expect(Diagnosis(of: record, now: later).findings.first?.code == .testingClient)
    }

    @Test(
        "Google's codes about client and organisation are certain, whether the session ended or not",
        arguments: [
            ("deleted_client", .clientDeleted), ("invalid_client", .clientRefused),
            ("admin_policy_enforced", .adminPolicy), ("org_internal", .organizationOnly),
            ("unauthorized_client", .clientUnauthorized),
        ] as [(String, Finding.Code)]
    )
    func codes(_ name: String, _ code: Finding.Code) {
        let error = OAuthError(OAuthError.Code(rawValue: name), serverDescription: "Words.", status: 401)
        let findings = Diagnosis(of: error, rules: .google, now: Self.consent).findings
        #expect(findings.map(\.code) == [code])
        #expect(findings.first?.certainty == .certain)
        #expect(findings.first?.found.contains(name) == true)
    }

    @Test("A session that lives is warned before its end: a named one, and half a year without use")
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
        let limited = Case(testDescription: "", last: 1, end: 0, namedEnd: 30, expected: [])
        #expect(try codes(limited, day: 20).isEmpty)
        #expect(try codes(limited, day: 28) == [.timeLimitedGrant])
        let testing = Case(testDescription: "", last: 1, end: 0, namedEnd: 7, expected: [])
        #expect(try codes(testing, day: 5) == [.testingClient])
    }

    @Test("A session that an older version kept has Google's rules again, another provider's has none")
    func rules() throws {
        var google = try Provider.google(client: OAuthClient(clientID: "client"))
        #expect(google.grantRules?.signInLimit == 100)
        google.grantRules = nil
        #expect(google.recognizingGoogle.grantRules?.signInLimit == 100)
        google.grantRules = GrantRules(name: "google")
        #expect(google.recognizingGoogle.grantRules?.signInLimit == 100)
        let other = Provider(issuer: try Issuer("https://id.example"), client: OAuthClient(clientID: "client"))
        #expect(other.recognizingGoogle.grantRules == nil)
    }

    private static func record(_ example: Case) throws -> SessionRecord {
        let account = Account(issuer: "https://accounts.google.com", clientID: "client", subject: "ada")
        var record = try SessionRecord.sample(for: account)
        record.provider = try .google(client: OAuthClient(clientID: "client"))
        record.grant = Grant(
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
            refreshTokenExpiresAt: example.namedEnd.map(date),
            endedAt: date(example.end),
            endReason: example.reason.description,
            signInCount: example.signIns,
            refusal: example.refusal
        )
        return record
    }
}
