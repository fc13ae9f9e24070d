// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraGoogle
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Google ID token verifier")
struct GoogleIDTokenVerifierTests {
    private let keys: GoogleKeys

    init() throws { self.keys = try GoogleKeys() }

    @Test("Requests the keys of each kind of token from their own URL", arguments: IssuedToken.all)
    func keySetURL(kind: IssuedToken) async throws {
        let transport = self.keys.transport()
        let verifier = self.keys.verifier(try kind.policy(), transport)
        for _ in 0..<3 { _ = try await verifier.verify(kind.token()) }
        #expect(transport.requests.map(\.url) == [kind.keySetURL])
        #expect(transport.requests.allSatisfy { $0.head.method == .get })
    }

    @Test("1,000 concurrent verifications cost one request for keys", .covers(86))
    func concurrency() async throws {
        let transport = self.keys.transport { for _ in 0..<100 { await Task.yield() } }
        let verifier = self.keys.verifier(try IssuedToken.google.policy(), transport)
        let token = try IssuedToken.google.token()
        let accepted = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<1_000 { group.addTask { try await verifier.verify(token).subject } }
            return try await group.reduce(into: 0) { count, subject in count += subject == "1234" ? 1 : 0 }
        }
        #expect(accepted == 1_000)
        #expect(transport.requests.count == 1)
    }

    @Test("Accepts a new key after Google has replaced its keys", .covers(86))
    func rotation() async throws {
        let kind = IssuedToken.google
        let transport = self.keys.transport()
        let verifier = self.keys.verifier(try kind.policy(), transport)
        _ = try await verifier.verify(kind.token())
        let next = IssuedToken.key(.rs256, "next")
        self.keys.publish([try kind.key.get().publicJWK, try next.get().publicJWK], at: kind.keySetURL)
        self.keys.clock.advance(by: .seconds(60))
        for key in [next, kind.key, next] { _ = try await verifier.verify(kind.token(key: key)) }
        #expect(transport.requests.count == 2)
        self.keys.publish([try next.get().publicJWK], at: kind.keySetURL)
        self.keys.clock.advance(by: .seconds(3_599))
        let unexpired = ["exp": "1700007200"]
        _ = try await verifier.verify(kind.token(unexpired))
        self.keys.clock.advance(by: .seconds(1))
        let outcome = await eventualOutcome { try await verifier.verify(kind.token(unexpired)) }
        #expect(outcome == "jwt.signingKey")
        #expect(transport.requests.count == 3)
    }

    @Test("Requests the keys at most once per minute for tokens with unknown keys", .covers(86))
    func unknownKeys() async throws {
        let kind = IssuedToken.google
        let transport = self.keys.transport()
        let verifier = self.keys.verifier(try kind.policy(), transport)
        func flood() async throws {
            for number in 0..<100 {
                let token = try kind.token(header: [JSONMember(name: "kid", value: .string("\(number)"))])
                #expect(await eventualOutcome { try await verifier.verify(token) } == "jwt.signingKey")
            }
        }
        try await flood()
        #expect(transport.requests.count == 1)
        self.keys.clock.advance(by: .seconds(60))
        try await flood()
        #expect(transport.requests.count == 2)
        _ = try await verifier.verify(kind.token())
        #expect(transport.requests.count == 2)
    }

    @Test("Reports that the keys could not be fetched, and tries again after a minute")
    func failedRequest() async throws {
        let kind = IssuedToken.proxy
        let keys = self.keys
        let inner = keys.transport()
        let transport = ScriptedTransport { request in
            guard keys.clock.date.timeIntervalSince1970 >= 1_700_000_060 else { return .status(.serviceUnavailable) }
            let (head, body) = try await inner.send(request.head, body: nil)
            return ScriptedResponse(head, body: body)
        }
        let verifier = keys.verifier(try kind.policy(), transport)
        let token = try kind.token()
        for _ in 0..<10 {
            await #expect(throws: HTTPStatusError.self) { try await verifier.verify(token) }
        }
        #expect(transport.requests.count == 1)
        keys.clock.advance(by: .seconds(60))
        #expect(await eventualOutcome { try await verifier.verify(token) } == "accepted")
    }

    @Test("Reveals no part of a rejected token in an error", .covers(124), arguments: IssuedToken.all)
    func redaction(kind: IssuedToken) async throws {
        let verifier = self.keys.verifier(try kind.policy())
        let names = Array(kind.claims.keys).sorted()
        for change in [[:]] + names.map({ [$0: #""canary""#] }) + names.map({ [$0: ""] }) {
            let changed = try kind.token(change).withUnredacted { $0 }
            for text in [changed + "A", String(changed.dropLast(30)), changed, "Bearer " + changed] {
                do {
                    _ = try await verifier.verify(Secret(text))
                } catch {
                    let outputs = [String(describing: error), String(reflecting: error), error.localizedDescription]
                    let parts = text.split(separator: ".").map(String.init) + [text]
                    for output in outputs {
                        #expect(!parts.contains { output.contains($0) || output.contains($0.prefix(20)) })
                    }
                    // The response to the caller contains only the rule.
                    let violation = try #require(error as? ProtocolViolationError)
                    let challenge = try #require(AccessTokenError(violation)).challenge()
                    #expect(challenge.contains("\(violation.rule)"))
                    #expect(!challenge.contains("canary"))
                }
            }
        }
    }

    @Test("Does not write the address of an unexpected account to the error of a push request")
    func unexpectedAddress() async throws {
        let verifier = self.keys.verifier(try IssuedToken.push.policy())
        let token = try IssuedToken.push.token(["email": #""ada@example.com""#])
        let error = await #expect(throws: ProtocolViolationError.self) { try await verifier.verify(token) }
        #expect(error.map { "\($0)".contains("ada@example.com") } == false)
        #expect(error?.rule == .googleIDTokenEmail)
    }
}
