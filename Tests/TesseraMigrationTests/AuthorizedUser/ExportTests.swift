// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGoogle
internal import TesseraMigration
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Export of sessions for Google's tools")
struct ExportTests {
    private static func record(_ change: (inout SessionRecord) throws -> Void = { _ in }) throws -> SessionRecord {
        let account = Account(issuer: "https://accounts.google.com", clientID: "client", subject: "42")
        var record = try SessionRecord.sample(for: account)
        record.provider = try .google(client: OAuthClient(clientID: "client", clientSecret: Secret("client-secret")))
        try change(&record)
        return record
    }

    private static func code(_ change: (inout SessionRecord) throws -> Void) throws -> MigrationError.Code? {
        let record = try Self.record(change)
        do {
            _ = try AuthorizedUserFile(exporting: record, as: .token)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("Exports authorized_user like application default credentials, without an access token")
    func authorizedUser() throws {
        let file = try AuthorizedUserFile(exporting: Self.record(), as: .authorizedUser)
        #expect(file.clientID == "client")
        #expect(file.clientSecret == Secret("client-secret"))
        #expect(file.refreshToken == Secret("sample-refresh-token-1"))
        #expect(file.account == "ada@example.com")
        #expect(file.accessToken == nil)
        #expect(file.expiry == nil)
        #expect(file.tokenURI == nil)
        let read = try AuthorizedUserFile(parsing: file.encoded())
        #expect(read.encoded() == file.encoded())
        #expect(read.format == .authorizedUser)
    }

    @Test("Exports token with the access token, expiry, scopes and token endpoint")
    func token() throws {
        let file = try AuthorizedUserFile(exporting: Self.record(), as: .token)
        #expect(file.accessToken == Secret("sample-access-token-1"))
        #expect(file.scopes == [.openID])
        #expect(file.expiry == Date(timeIntervalSince1970: 1_700_003_600))
        #expect(file.tokenURI == "https://oauth2.googleapis.com/token")
        #expect(try ImportedCredentials(parsing: file.encoded()).isIssuedByGoogle)
    }

    @Test("Exports a token of unknown lifetime as already expired")
    func noLifetime() throws {
        let record = try Self.record { $0.tokens?.lifetime = nil }
        #expect(try AuthorizedUserFile(exporting: record, as: .token).expiry == record.tokens?.obtainedAt)
    }

    @Test("Refuses to export a session that another tool could not use or would end")
    func refusals() throws {
        let date = Date(timeIntervalSince1970: 0)
        #expect(try Self.code { $0.tokens = nil } == .ended)
        #expect(try Self.code { $0.tokens?.refreshToken = nil } == .noRefreshToken)
        #expect(try Self.code { $0.dpopKey = try DPoPKey.generate() } == .bound)
        #expect(try Self.code { $0.tokens?.tokenType = .dpop } == .bound)
        #expect(try Self.code { $0.history.refreshTokenReplacedAt = date } == .rotating)
        #expect(try Self.code { $0.refreshMark = RefreshMark(begunAt: date, generation: 1) } == .interrupted)
        #expect(try Self.code { $0.provider.client.clientSecret = nil } == .clientUnsupported)
        #expect(try Self.code { $0.provider.client.authentication = .clientSecretJWT } == .clientUnsupported)
        #expect(try Self.code { $0.provider.client.certificateBoundAccessTokens = true } == .clientUnsupported)
    }
}
