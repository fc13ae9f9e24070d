// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Provider key set")
struct KeySetTests {
    /// A provider whose key set changes.
    private final class Provider: Sendable {
        let published: Mutex<[JSONNode]>
        let clock = TestClock()

        init(_ keys: [JSONNode]) { self.published = Mutex(keys) }

        func publish(_ keys: [JSONNode]) { self.published.withLock { $0 = keys } }

        func transport() -> ScriptedTransport {
            ScriptedTransport { _ in
                let keys = JSONNode.array(self.published.withLock { $0 })
                return .json(JSONNode.object([JSONMember(name: "keys", value: keys)]).text())
            }
        }

        func cache(_ transport: ScriptedTransport) throws -> KeySetCache {
            KeySetCache(
                try Endpoint("https://as.example/keys", name: "jwks_uri"),
                runtime: .testing(transport: transport, clock: self.clock)
            )
        }
    }

    @Test("Fetches the keys again for an unknown key, and otherwise once per hour", .covers(86))
    func rotation() async throws {
        let provider = Provider([try IDTokens.published()])
        let transport = provider.transport()
        let cache = try provider.cache(transport)
        let policy = try IDTokens.policy { $0.clockTolerance = 86_400 }
        let (old, new) = (try IDTokens.token(), try IDTokens.token(key: IDTokens.otherKey))
        for _ in 0..<3 {
            #expect(await eventualOutcome { try await cache.validate(old, policy: policy) } == "accepted")
        }
        #expect(transport.requests.count == 1)
        provider.publish([try IDTokens.published(key: IDTokens.otherKey)])
        provider.clock.advance(by: .seconds(60))
        #expect(await eventualOutcome { try await cache.validate(new, policy: policy) } == "accepted")
        #expect(transport.requests.count == 2)
        provider.clock.advance(by: .seconds(3_599))
        #expect(await eventualOutcome { try await cache.validate(new, policy: policy) } == "accepted")
        #expect(transport.requests.count == 2)
        provider.clock.advance(by: .seconds(1))
        #expect(await eventualOutcome { try await cache.validate(new, policy: policy) } == "accepted")
        #expect(transport.requests.count == 3)
        #expect(transport.requests.allSatisfy { $0.url == "https://as.example/keys" })
        #expect(transport.requests.allSatisfy { $0.head.method == .get })
    }

    @Test(
        "Fetches the keys at most once per minute for 100 invalid tokens in sequence",
        .covers(86),
        .shows(claims: 37)
    )
    func cooldown() async throws {
        let provider = Provider([try IDTokens.published()])
        let transport = provider.transport()
        let cache = try provider.cache(transport)
        let (policy, bad) = (try IDTokens.policy(), try IDTokens.token(key: IDTokens.otherKey))
        func flood() async {
            for _ in 0..<100 {
                #expect(await eventualOutcome { try await cache.validate(bad, policy: policy) } == "jwt.signingKey")
            }
        }
        await flood()
        #expect(transport.requests.count == 1, "The first fetch has just happened.")
        provider.clock.advance(by: .seconds(59))
        await flood()
        #expect(transport.requests.count == 1)
        provider.clock.advance(by: .seconds(1))
        await flood()
        #expect(transport.requests.count == 2)
        #expect(await eventualOutcome { try await cache.validate(IDTokens.token(), policy: policy) } == "accepted")
    }

    @Test("100 concurrent invalid tokens share one fetch, and a valid token among them is accepted", .covers(86))
    func burst() async throws {
        let provider = Provider([try IDTokens.published()])
        let inner = provider.transport()
        let transport = ScriptedTransport { request in
            let (head, body) = try await inner.send(request.head, body: nil)
            for _ in 0..<100 { await Task.yield() }
            return ScriptedResponse(head, body: body)
        }
        let cache = try provider.cache(transport)
        let policy = try IDTokens.policy()
        let bad = try IDTokens.token(header: [JSONMember(name: "kid", value: "unknown")])
        for (fetches, key) in [(1, IDTokens.key), (2, IDTokens.otherKey)] {
            provider.publish([try IDTokens.published(key: key)])
            let good = try IDTokens.token(key: key)
            let tasks = (0..<101)
                .map { number in
                    Task {
                        await eventualOutcome { try await cache.validate(number == 50 ? good : bad, policy: policy) }
                    }
                }
            var results: [String] = []
            for task in tasks { results.append(await task.value) }
            #expect(results[50] == "accepted")
            #expect(results.filter { $0 == "jwt.signingKey" }.count == 100)
            #expect(transport.requests.count == fetches)
            provider.clock.advance(by: .seconds(60))
        }
    }

    @Test("Waits for the new keys when validating a token during a fetch", .covers(86))
    func arrivesDuringRefetch() async throws {
        let provider = Provider([try IDTokens.published()])
        let inner = provider.transport()
        let duringRefetch = Mutex<(@Sendable () async -> Void)?>(nil)
        let transport = ScriptedTransport { request in
            let (head, body) = try await inner.send(request.head, body: nil)
            await duringRefetch.withLock { $0 }?()
            return ScriptedResponse(head, body: body)
        }
        let cache = try provider.cache(transport)
        let policy = try IDTokens.policy()
        #expect(await eventualOutcome { try await cache.validate(IDTokens.token(), policy: policy) } == "accepted")
        provider.publish([try IDTokens.published(key: IDTokens.otherKey)])
        provider.clock.advance(by: .seconds(60))
        let bad = try IDTokens.token(header: [JSONMember(name: "kid", value: "unknown")])
        let good = try IDTokens.token(key: IDTokens.otherKey)
        let arrived = Mutex<Task<String, Never>?>(nil)
        duringRefetch.withLock {
            $0 = {
                let task = Task { await eventualOutcome { try await cache.validate(good, policy: policy) } }
                arrived.withLock { $0 = task }
                for _ in 0..<100 { await Task.yield() }
            }
        }
        #expect(await eventualOutcome { try await cache.validate(bad, policy: policy) } == "jwt.signingKey")
        #expect(await arrived.withLock { $0 }?.value == "accepted")
        #expect(transport.requests.count == 2)
    }

    @Test("Reports a failed fetch and keeps using the cached keys", .covers(86, 97))
    func failedRefetch() async throws {
        let isDown = Mutex(false)
        let provider = Provider([try IDTokens.published()])
        let inner = provider.transport()
        let transport = ScriptedTransport { request in
            if isDown.withLock({ $0 }) { return .status(.serviceUnavailable) }
            let (head, body) = try await inner.send(request.head, body: nil)
            return ScriptedResponse(head, body: body)
        }
        let cache = try provider.cache(transport)
        let policy = try IDTokens.policy()
        let (good, bad) = (try IDTokens.token(), try IDTokens.token(key: IDTokens.otherKey))
        #expect(await eventualOutcome { try await cache.validate(good, policy: policy) } == "accepted")
        provider.clock.advance(by: .seconds(60))
        isDown.withLock { $0 = true }
        #expect(await eventualOutcome { try await cache.validate(bad, policy: policy) } == "HTTPStatusError 503")
        #expect(await eventualOutcome { try await cache.validate(bad, policy: policy) } == "HTTPStatusError 503")
        #expect(await eventualOutcome { try await cache.validate(good, policy: policy) } == "accepted")
        #expect(transport.requests.count == 2)
    }

    /// A provider whose key endpoint fails until a test ends the outage.
    private final class FailingProvider: Sendable {
        private final class Outage: Sendable {
            let isOn = Mutex(true)
        }

        let clock = TestClock()
        private let outage = Outage()
        let transport: ScriptedTransport
        let cache: KeySetCache

        init() throws {
            let provider = Provider([try IDTokens.published()])
            let (inner, outage) = (provider.transport(), self.outage)
            self.transport = ScriptedTransport { request in
                for _ in 0..<20 { await Task.yield() }
                if outage.isOn.withLock({ $0 }) { return .status(.serviceUnavailable) }
                let (head, body) = try await inner.send(request.head, body: nil)
                return ScriptedResponse(head, body: body)
            }
            self.cache = KeySetCache(
                try Endpoint("https://as.example/keys", name: "jwks_uri"),
                runtime: .testing(transport: self.transport, clock: self.clock)
            )
        }

        var fetches: Int { self.transport.requests.count }
        func fail(_ fails: Bool) { self.outage.isOn.withLock { $0 = fails } }

        /// Returns the outcomes of validating 100 invalid tokens, half of them concurrently.
        func flood(_ policy: IDTokenPolicy) async throws -> Set<String> {
            let bad = try IDTokens.token(key: IDTokens.otherKey)
            var outcomes: Set<String> = []
            for _ in 0..<50 {
                outcomes.insert(await eventualOutcome { try await self.cache.validate(bad, policy: policy) })
            }
            let tasks = (0..<50)
                .map { _ in Task { await eventualOutcome { try await self.cache.validate(bad, policy: policy) } } }
            for task in tasks { outcomes.insert(await task.value) }
            return outcomes
        }
    }

    @Test(
        "Fetches the keys at most once per minute while the key endpoint fails",
        .covers(133),
        .shows(claims: 37)
    )
    func failingEndpoint() async throws {
        let provider = try FailingProvider()
        let policy = try IDTokens.policy { $0.clockTolerance = 86_400 }
        #expect(try await provider.flood(policy) == ["HTTPStatusError 503"])
        #expect(provider.fetches == 1)
        provider.clock.advance(by: .seconds(59))
        #expect(try await provider.flood(policy) == ["HTTPStatusError 503"])
        #expect(provider.fetches == 1)
        provider.clock.advance(by: .seconds(1))
        #expect(try await provider.flood(policy) == ["HTTPStatusError 503"])
        #expect(provider.fetches == 2)
        provider.fail(false)
        provider.clock.advance(by: .seconds(60))
        let good = try IDTokens.token()
        #expect(await eventualOutcome { try await provider.cache.validate(good, policy: policy) } == "accepted")
        #expect(provider.fetches == 3)
    }

    @Test("Limits fetches in the same way after the cached keys have expired", .covers(133))
    func failingEndpointAfterExpiry() async throws {
        let provider = try FailingProvider()
        provider.fail(false)
        let policy = try IDTokens.policy { $0.clockTolerance = 86_400 }
        let good = try IDTokens.token()
        #expect(await eventualOutcome { try await provider.cache.validate(good, policy: policy) } == "accepted")
        provider.fail(true)
        provider.clock.advance(by: .seconds(3_600))
        #expect(try await provider.flood(policy) == ["HTTPStatusError 503"])
        #expect(provider.fetches == 2)
        provider.fail(false)
        let result = await eventualOutcome { try await provider.cache.validate(good, policy: policy) }
        #expect(result == "HTTPStatusError 503")
        provider.clock.advance(by: .seconds(60))
        #expect(await eventualOutcome { try await provider.cache.validate(good, policy: policy) } == "accepted")
        #expect(provider.fetches == 3)
    }

    @Test("Does not fetch keys for a token of another form, algorithm or type", .covers(133))
    func foreignTokens() async throws {
        let provider = try FailingProvider()
        let policy = try IDTokens.policy { $0.clockTolerance = 86_400 }
        let (header, payload) = (base64URL(#"{"alg":"ES256"}"#), base64URL(IDTokens.claims()))
        let tokens = [
            "", "x", "a.b", "\(header).\(payload)", "\(header).\(payload).AA.AA", "\(header).!.AA",
            base64URL("[]") + ".\(payload).AA", base64URL(#"{"alg":"none"}"#) + ".\(payload).",
            base64URL(#"{"alg":"HS256"}"#) + ".\(payload).AA", base64URL(#"{"alg":"RS256"}"#) + ".\(payload).AA",
            base64URL(#"{"alg":"ES256","typ":"at+jwt"}"#) + ".\(payload).AA", "\(header).AA.AA.AA.AA",
            String(repeating: "A", count: 1 << 17),
        ]
        for _ in 0..<2 {
            for token in tokens {
                let result = await eventualOutcome { try await provider.cache.validate(Secret(token), policy: policy) }
                #expect(result.hasPrefix("j"), "\(token.prefix(40)): \(result)")
            }
            provider.clock.advance(by: .seconds(3_600))
        }
        #expect(provider.fetches == 0)
        let unlisted = try IDTokens.policy { $0.algorithms = [] }
        let good = try IDTokens.token()
        #expect(await eventualOutcome { try await provider.cache.validate(good, policy: unlisted) } == "jws.algorithm")
        #expect(provider.fetches == 0)
    }

    @Test("Uses the only matching key without a kid, and otherwise only keys with that kid", .covers(87))
    func choice() throws {
        let (mine, other) = (try IDTokens.published(), try IDTokens.published(key: IDTokens.otherKey))
        let kid = JSONNode.string(try IDTokens.key.get().keyID ?? "")
        let unnamed = try IDTokens.token(header: [JSONMember(name: "kid", value: "")])
        let without = Secret(
            try IDTokens.key.get().sign(payload: Array(IDTokens.claims().utf8), headerText: #"{"alg":"ES256"}"#)
        )
        let named = try IDTokens.token()
        let withoutKeyID = try IDTokens.published(["kid": nil])
        let otherKeyOfSameName = try IDTokens.published(["kid": kid], key: IDTokens.otherKey)
        let rsaOfSameName: JSONNode = ["kty": "RSA", "kid": kid, "n": rsaMember("n"), "e": "AQAB"]
        let encryptionKey = try IDTokens.published(["kid": kid, "use": "enc"], key: IDTokens.otherKey)
        for (token, nodes, expected) in [
            (without, [mine], "accepted"), (without, [withoutKeyID], "accepted"),
            (without, [mine, other], "jwt.signingKey"), (without, [mine, mine], "accepted"),
            (without, [], "jwt.signingKey"), (named, [mine, other], "accepted"),
            (named, [other], "jwt.signingKey"),
            (named, [withoutKeyID], "jwt.signingKey"), (unnamed, [mine], "jwt.signingKey"),
            (named, [rsaOfSameName, mine], "accepted"), (named, [encryptionKey, mine], "accepted"),
            (named, [otherKeyOfSameName, mine], "jwt.signingKey"),
        ] as [(Secret, [JSONNode], String)] {
            #expect(outcome { try IDTokens.validate(token, keys: IDTokens.keys(nodes)) } == expected)
        }
    }

    private func rsaMember(_ name: String) -> JSONNode {
        guard case .object(let members) = HostileTokens.rsa else { return nil }
        return members.first { $0.name == name }?.value ?? nil
    }

    @Test(
        "Ignores a key for another use, algorithm or type",
        .covers(87),
        arguments: [
            ["use": "enc"], ["use": ""], ["key_ops": ["sign"]], ["key_ops": []], ["key_ops": ["encrypt", "decrypt"]],
            ["alg": "ES384"], ["alg": "RS256"], ["alg": "ES256K"], ["crv": "secp256k1"], ["kty": "RSA"], ["kty": "oct"],
        ] as [[String: JSONNode]]
    )
    func unfitKeys(changes: [String: JSONNode]) throws {
        let keys = try IDTokens.keys([IDTokens.published(changes)])
        #expect(outcome { try IDTokens.validate(IDTokens.token(), keys: keys) } == "jwt.signingKey")
    }

    @Test("Uses a key whose key_ops include verify", .covers(87))
    func fitKey() throws {
        let keys = try IDTokens.keys([IDTokens.published(["use": nil, "alg": nil, "key_ops": ["verify", "sign"]])])
        #expect(outcome { try IDTokens.validate(IDTokens.token(), keys: keys) } == "accepted")
    }

    @Test("Ignores keys of unknown types and curves and uses the others", .covers(87))
    func unknownTypes() throws {
        let unknown: [JSONNode] = [
            ["kty": "AKP", "alg": "ML-DSA-44", "pub": "AAAA"], ["kty": "oct", "k": "AAAA"],
            ["kty": "EC", "crv": "secp256k1", "x": "AAAA", "y": "AAAA"], ["kty": "OKP", "crv": "X25519", "x": "AAAA"],
            ["kty": ""], [:],
        ]
        let keys = try IDTokens.keys(unknown + [IDTokens.published()] + unknown)
        #expect(keys.ignoredCount == 12)
        #expect(keys.keys.count == 1)
        #expect(outcome { try IDTokens.validate(IDTokens.token(), keys: keys) } == "accepted")
        #expect(outcome { try IDTokens.validate(IDTokens.token(), keys: IDTokens.keys(unknown)) } == "jwt.signingKey")
    }

    @Test(
        "Fetches the keys again if a new key has the old key's kid, or neither has one",
        .covers(86),
        arguments: [nil, "same"] as [JSONNode]
    )
    func replacedKey(name: JSONNode) async throws {
        let provider = Provider([try IDTokens.published(["kid": name], key: IDTokens.otherKey)])
        let transport = provider.transport()
        let cache = try provider.cache(transport)
        let policy = try IDTokens.policy()
        let header = name == .null ? #"{"alg":"ES256"}"# : #"{"alg":"ES256","kid":"same"}"#
        let token = Secret(try IDTokens.key.get().sign(payload: Array(IDTokens.claims().utf8), headerText: header))
        for _ in 0..<10 {
            #expect(await eventualOutcome { try await cache.validate(token, policy: policy) } == "jws.signature")
        }
        #expect(transport.requests.count == 1)
        provider.publish([try IDTokens.published(["kid": name])])
        provider.clock.advance(by: .seconds(60))
        #expect(await eventualOutcome { try await cache.validate(token, policy: policy) } == "accepted")
        #expect(transport.requests.count == 2)
    }

    @Test("Fetches new keys for other kinds of tokens too", .covers(86))
    func otherTokens() async throws {
        let provider = Provider([try IDTokens.published(key: IDTokens.otherKey)])
        let transport = provider.transport()
        let cache = try provider.cache(transport)
        let policy = UserInfoPolicy(
            issuer: try Issuer(Example.issuer),
            clientID: "client",
            subject: "subject",
            algorithms: [.es256]
        )
        let old = try IDTokens.token(key: IDTokens.otherKey)
        #expect(await eventualOutcome { try await cache.validate(old, policy: policy) } == "accepted")
        provider.publish([try IDTokens.published()])
        provider.clock.advance(by: .seconds(60))
        #expect(await eventualOutcome { try await cache.validate(IDTokens.token(), policy: policy) } == "accepted")
        #expect(await eventualOutcome { try await cache.validate(old, policy: policy) } == "jwt.signingKey")
        #expect(transport.requests.count == 2)
    }

    @Test("Ignores an unreadable key and uses the others")
    func unreadableKey() throws {
        let keys = try IDTokens.keys([["kty": "EC", "crv": "P-256"], ["kty": 5], IDTokens.published()])
        #expect(keys.ignoredCount == 2)
        #expect(outcome { try IDTokens.validate(IDTokens.token(), keys: keys) } == "accepted")
    }

    @Test(
        "Throws if the key set cannot be fetched or parsed",
        .covers(97),
        arguments: [
            (302, "", "HTTPStatusError 302"), (500, "", "HTTPStatusError 500"),
            (404, "{\"keys\":[]}", "HTTPStatusError 404"),
            (200, "<html></html>", "jwks.format"), (200, "", "jwks.format"), (200, "[]", "jwks.format"),
            (200, "{}", "jwks.format"), (200, "{\"keys\":{}}", "jwks.format"), (200, "{\"keys\":[5]}", "jwks.format"),
            (200, "{\"keys\":null}", "jwks.format"), (200, "{\"keys\":[],\"keys\":[]}", "jwks.format"),
            (200, "{\"keys\":[" + Array(repeating: "{}", count: 5_000).joined(separator: ",") + "]}", "jwks.format"),
            (200, "{\"keys\":[]}", "jwt.signingKey"),
            (200, String(repeating: " ", count: 2 << 20), "TransportError bodyTooLarge"),
        ]
    )
    func broken(status: Int, body: String, expected: String) async throws {
        let transport = ScriptedTransport { _ in
            .json(body, status: .init(code: status), headerFields: [.location: "https://evil.example/keys"])
        }
        let endpoint = try Endpoint("https://as.example/keys", name: "jwks_uri")
        let cache = KeySetCache(endpoint, runtime: .testing(transport: transport))
        let policy = try IDTokens.policy()
        #expect(await eventualOutcome { try await cache.validate(IDTokens.token(), policy: policy) } == expected)
        #expect(transport.requests.allSatisfy { $0.head.authority == "as.example" })
    }

    @Test("Rejects an http URL for the keys", .covers(97))
    func insecure() {
        #expect(outcome { try Endpoint("http://as.example/keys", name: "jwks_uri") } == "metadata.endpoint")
    }
}
