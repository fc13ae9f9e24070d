// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
@testable internal import TesseraGoogle
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Google credentials")
struct GoogleCredentialsTests {
    @Test("Shares one request among 10,000 concurrent callers", .covers(87, 175))
    func storm() async throws {
        let google = try ScriptedGoogle()
        let credentials = try google.load(try ScriptedGoogle.serviceAccount())
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<10_000 { group.addTask { try await credentials.accessToken().text } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(texts == ["token-1"])
        #expect(google.requests.count == 1)
    }

    @Test("Replaces a rejected token once for all callers")
    func rejection() async throws {
        let google = try ScriptedGoogle()
        let credentials = try google.load(try ScriptedGoogle.serviceAccount())
        let token = try await credentials.accessToken()
        let replacements = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await credentials.replacement(forRejected: token).text } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(replacements == ["token-2"])
        #expect(google.requests.count == 2)
    }

    @Test(
        "Retries temporary failures twice, and other failures not at all",
        .covers(175),
        arguments: [
            (HTTPResponse.Status.internalServerError, 3), (.serviceUnavailable, 3), (.tooManyRequests, 3),
            (.unauthorized, 1), (.forbidden, 1), (.found, 1),
        ]
    )
    func retries(_ status: HTTPResponse.Status, _ attempts: Int) async throws {
        let google = try ScriptedGoogle()
        google.answer("https://") { _ in .status(status) }
        let credentials = try google.load(try ScriptedGoogle.serviceAccount())
        await #expect(throws: (any Error).self) { try await credentials.accessToken() }
        #expect(google.requests.count == attempts)
        let impersonated = try credentials.impersonating("a@b", scopes: [])
        google.answer("https://oauth2.googleapis.com/token") { _ in google.token() }
        let before = google.requests.count
        await #expect { try await impersonated.accessToken() } throws: { error in
            (error as? GoogleCredentialsError)?.status == status.code
        }
        // A rejected source token is replaced once.
        #expect(google.requests.count - before == (status == .unauthorized ? 4 : attempts + 1))
    }

    @Test(
        "Waits as long as the server requires, but not for minutes",
        .covers(175),
        arguments: [(10, 3, 20), (600, 1, 0)]
    )
    func retryAfter(_ seconds: Int, _ attempts: Int, _ waited: Int) async throws {
        let google = try ScriptedGoogle()
        google.answer("https://oauth2.googleapis.com/token") { _ in
            .status(.tooManyRequests, headerFields: [.retryAfter: "\(seconds)"])
        }
        let credentials = try google.load(try ScriptedGoogle.serviceAccount())
        let begun = google.clock.now
        await #expect(throws: (any Error).self) { try await credentials.accessToken() }
        #expect(google.requests.count == attempts)
        #expect(begun.duration(to: google.clock.now) >= .seconds(waited))
    }

    @Test(
        "Rejects a response that is not a token",
        .covers(176),
        arguments: [
            "", "{", "[]", "{}", #"{"access_token":""}"#, #"{"access_token":1,"token_type":"Bearer"}"#, "<html>",
        ]
    )
    func garbage(_ body: String) async throws {
        let google = try ScriptedGoogle()
        google.answer("https://") { _ in .json(body) }
        let credentials = try google.load(try ScriptedGoogle.serviceAccount())
        await #expect(throws: ProtocolViolationError.self) { try await credentials.accessToken() }
        google.answer("https://oauth2.googleapis.com/token") { _ in google.token() }
        let impersonated = try credentials.impersonating("a@b", scopes: [])
        await #expect(throws: ProtocolViolationError.self) { try await impersonated.accessToken() }
    }

    @Test("Measures the lifetime of a token by the server's clock", arguments: [-86_400.0, 86_400.0])
    func skew(_ offset: Double) async throws {
        let google = try ScriptedGoogle()
        let server = google.clock.date.addingTimeInterval(offset)
        google.answer("https://iamcredentials.googleapis.com/") { _ in
            let end = server.addingTimeInterval(3_600).utcText
            let date = HTTPDate.text(secondsSince1970: server.timeIntervalSince1970)
            return .json(#"{"accessToken":"a","expireTime":"\#(end)"}"#, headerFields: [.date: date])
        }
        let credentials = try google.load(try ScriptedGoogle.serviceAccount()).impersonating("a@b", scopes: [])
        let token = try await credentials.accessToken()
        #expect(token.expiresAt == google.clock.date.addingTimeInterval(3_600))
    }

    @Test("Reveals no secret in errors, descriptions or dumps", .covers(124), .shows(claims: 50))
    func canary() async throws {
        let google = try ScriptedGoogle()
        let path = try google.write("canary-subject-token", "token")
        google.answer("https://") { request in
            let text = request.text + (request.authorization ?? "")
            let body: JSONNode = [
                "error": ["code": 400, "message": .string(text)], "error_description": .string(text),
            ]
            return .json(body.text(), status: .badRequest)
        }
        let user = try ScriptedGoogle.authorizedUser([
            "refresh_token": "canary-refresh-token", "client_secret": "canary-client-secret",
        ])
        let service = try google.load(try ScriptedGoogle.serviceAccount())
        let all = [
            service, try google.load(user),
            try google.load(try ScriptedGoogle.externalAccount(["file": .string(path)])),
            try GoogleCredentials.apiKey(Secret("canary-api-key"), options: google.options(), runtime: google.runtime),
            try GoogleCredentials.token(options: google.options(), runtime: google.runtime) { _ in
                AccessToken(Secret("canary-token"), expiresAt: nil)
            }
            .impersonating("a@b", scopes: []),
        ]
        for credentials in all {
            var outputs = "\(credentials) \(String(reflecting: credentials)) \(credentials.method)"
            dump(credentials, to: &outputs)
            dump(credentials.method, to: &outputs)
            do {
                _ = try await credentials.accessToken()
                Issue.record("No error")
            } catch {
                dump(error, to: &outputs)
                outputs += "\(error)"
            }
            #expect(!outputs.contains("canary"))
            #expect(!outputs.contains("BEGIN"))
            #expect(!outputs.contains("eyJ"))
        }
    }

    @Test("Has no tokens for an API key or anonymous credentials")
    func keys() async throws {
        let google = try ScriptedGoogle()
        let key = try GoogleCredentials.apiKey(Secret("key"), options: google.options(), runtime: google.runtime)
        #expect(key.apiKey == Secret("key"))
        let anonymous = try GoogleCredentials.anonymous(options: google.options(), runtime: google.runtime)
        for credentials in [key, anonymous] {
            await #expect { try await credentials.accessToken() } throws: {
                GoogleCredentialsError.Code.unsupportedOperation ~= $0
            }
        }
    }

    @Test("Accepts a token without a foreseeable end")
    func distantFuture() async throws {
        let google = try ScriptedGoogle()
        let credentials = try GoogleCredentials.token(options: google.options(), runtime: google.runtime) { _ in
            AccessToken(Secret("token"), expiresAt: .distantFuture)
        }
        #expect(try await credentials.accessToken().text == "token")
    }

    @Test("Counts the lifetime of a token from its request")
    func slowResponse() async throws {
        let google = try ScriptedGoogle()
        google.answer("https://oauth2.googleapis.com/token") { _ in
            google.clock.advance(by: .seconds(50))
            return google.token(lifetime: 600)
        }
        let credentials = try google.load(try ScriptedGoogle.serviceAccount())
        #expect(try await credentials.accessToken().text == "token-1")
        google.clock.advance(by: .seconds(545))
        #expect(try await credentials.accessToken().text == "token-2")
    }

    @Test("Calls the closure again when its token expires, and rejects an expired one")
    func closure() async throws {
        let google = try ScriptedGoogle()
        let count = Mutex(0)
        let credentials = try GoogleCredentials.token(
            scopes: ["scope-a"],
            options: google.options(),
            runtime: google.runtime
        ) { scopes in
            let number = count.withLock { number in
                number += 1
                return number
            }
            let end = google.clock.date.addingTimeInterval(number < 3 ? 600 : -1)
            return AccessToken(Secret("\(scopes[0])-\(number)"), expiresAt: end)
        }
        #expect(try await credentials.accessToken().text == "scope-a-1")
        google.clock.advance(by: .seconds(600))
        #expect(try await credentials.accessToken().text == "scope-a-2")
        google.clock.advance(by: .seconds(600))
        await #expect { try await credentials.accessToken() } throws: {
            GoogleCredentialsError.Code.invalidConfiguration ~= $0
        }
    }

    @Test("Returns credentials for other scopes, except for kinds with fixed scopes")
    func scopes() async throws {
        let google = try ScriptedGoogle()
        let service = try google.load(try ScriptedGoogle.serviceAccount())
        #expect(service.with(scopes: ["other"]).scopes == ["other"])
        let user = try google.load(try ScriptedGoogle.authorizedUser())
        #expect(user.with(scopes: ["other"]) === user)
    }
}
