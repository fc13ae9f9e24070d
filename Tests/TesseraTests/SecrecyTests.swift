// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import InMemoryLogging
internal import InMemoryTracing
internal import Logging
internal import MetricsTestKit
internal import Tessera
internal import TesseraFetch
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Secrets")
struct SecrecyTests {
    static let marker = "CaNaRy7f3a"

    @Test(
        "No token, code, verifier or client secret is in anything that is printed, thrown, logged, counted or traced (124)"
    )
    func canaries() async throws {
        let outputs = Outputs()
        let network = try ScriptedProvider(marker: Self.marker)
        try await Self.walk(network, outputs)
        let text = outputs.text
        var secrets = [Self.marker]
        for request in network.requests("/token") {
            for name in ["code", "code_verifier", "refresh_token", "client_secret"] {
                if let secret = request.formValue(name) { secrets.append(secret) }
            }
        }
        for request in network.requests {
            if let token = request.head.headerFields[.authorization] { secrets.append(String(token.dropFirst(7))) }
        }
        #expect(Set(secrets).count > 12)
        for secret in Set(secrets) {
            guard let range = text.firstRange(of: secret) else { continue }
            let line = text[..<range.lowerBound].suffix(300) + "<HERE>" + text[range.upperBound...].prefix(100)
            Issue.record("\(secret.prefix(14))… is in: \(line)")
        }
        // The flows did log, trace and count: the search above searched something.
        #expect(text.utf8.count > 20_000)
        let outcomes = outputs.log.entries.map {
            "\($0.metadata["oauth.grant_type"] ?? "") \($0.metadata["oauth.outcome"] ?? "")"
        }
        for outcome in [
            "authorization_code success", "refresh_token success", "refresh_token invalid_grant",
            "refresh_token http_503",
            "refresh_token transport", "refresh_token protocol_violation",
        ] {
            #expect(outcomes.contains(outcome))
            let words = outcome.split(separator: " ").map(String.init)
            let dimensions = [("grant_type", words[0]), ("outcome", words[1])]
            #expect(Outputs.systems.metrics.counterTotal(label: "oauth.token.requests", dimensions: dimensions) > 0)
        }
        #expect(
            Outputs.systems.tracer.finishedSpans.contains { $0.operationName == "oauth.token" && !$0.errors.isEmpty }
        )
    }

    /// Every flow once, the good ones and the bad ones.
    private static func walk(_ network: ScriptedProvider, _ outputs: Outputs) async throws {
        let store = WatchedStore()
        let agent = ScriptedUserAgent.Later()
        let userAgent = agent.agent
        let signIn = SignIn(
            try network.provider,
            runtime: network.runtime,
            store: store,
            userAgent: userAgent,
            logger: outputs.logger
        )
        outputs.take(try network.provider)
        outputs.take(signIn)

        // Sign-ins that fail.
        for script: ScriptedUserAgent.Script in [
            { [try network.denial(of: $0)] }, { [try network.consent(to: $0) + "&code=again"] },
            { [try network.consent(to: $0).replacing("state=", with: "state=x")] },
            { [try network.consent(to: $0).replacing("iss=", with: "iss=x")] }, { _ in throw SignInError(.noBrowser) },
        ] {
            agent.script(script)
            await outputs.take { try await signIn.signIn(scopes: [.openID, .email]) }
        }
        agent.script { [try network.consent(to: $0)] }
        await Self.eachTokenFault(network) {
            await outputs.take { try await signIn.signIn(scopes: [.openID, .email]) }
        }
        var options = SignInOptions()
        options.requiredClaims = ["hd": "x"]
        await outputs.take { try await signIn.signIn(scopes: [.openID], options: options) }
        store.fail(.save, .full)
        await outputs.take { try await signIn.signIn(scopes: [.openID]) }
        store.before(.save, nil)

        // A session, its contents and its calls.
        let session = try await signIn.signIn(scopes: [.openID, .email])
        let events = session.events()
        outputs.take(session)
        outputs.take(session.record)
        outputs.take(session.grant)
        outputs.take(session.idToken as Any)
        outputs.take(store)
        for page in userAgent.pages { outputs.take(page) }
        for reason in userAgent.reasons { outputs.take(reason) }
        await outputs.take { try await session.accessToken() }
        await outputs.take { try await session.userInfo() }
        await outputs.take { try await signIn.addScopes([World.drive], to: session) }
        agent.script { [try network.consent(to: $0, as: "eve")] }
        await outputs.take { try await signIn.addScopes(["more"], to: session) }
        outputs.take(session.fetcher)
        network.intercept("/no") { _ in
            .status(.forbidden, headerFields: [.wwwAuthenticate: #"Bearer error="insufficient_scope""#])
        }
        for url in ["\(ScriptedProvider.api)/ok", "\(ScriptedProvider.api)/no", "https://evil.example/"] {
            await outputs.take { try await session.fetcher.data(for: HTTPRequest(url: url)) }
        }
        let token = try await session.accessToken()
        let tokenURL = token.secret.withUnredacted { "\(ScriptedProvider.api)/?access_token=\($0)" }
        await outputs.take { try await session.fetcher.data(for: HTTPRequest(url: tokenURL)) }

        // Refreshes that fail, then one that does not, then the end.
        await Self.eachTokenFault(network) {
            network.clock.advance(by: .seconds(3_600))
            await outputs.take { try await session.accessToken() }
        }
        network.clock.advance(by: .seconds(3_600))
        store.fail(.save, .full)
        await outputs.take { try await session.accessToken() }
        store.before(.save, nil)
        await outputs.take { try await session.refresh() }
        await outputs.take { () async throws in
            try SessionRecord(decoding: Array(session.record.encoded().dropLast(9)), place: "file")
        }
        network.intercept("/revoke") { request in
            .json(#"{"error": "x", "error_description": "\#(request.formValue("token") ?? "")"}"#, status: .badRequest)
        }
        await outputs.take { try await session.disconnect() }
        agent.script { [try network.consent(to: $0)] }
        let again = try await signIn.signIn(scopes: [.openID])
        network.clock.advance(by: .seconds(3_600))
        network.intercept("/token") { request in
            .json(
                #"{"error": "invalid_grant", "error_description": "no: \#(request.formValue("refresh_token") ?? "")"}"#,
                status: .badRequest
            )
        }
        let last = again.events()
        await outputs.take { try await again.accessToken() }
        outputs.take(again)
        for await event in events { outputs.take(event) }
        for await event in last { outputs.take(event) }
    }

    /// Runs `work` with each thing that can be wrong with a token endpoint, secrets in its answer wherever they fit.
    private static func eachTokenFault(_ network: ScriptedProvider, _ work: () async -> Void) async {
        let canary = "\(Self.marker)-from-the-server"
        let answers: [ScriptedProvider.Script] = [
            { _ in throw TransportError(.connectionLost, host: "id.example") },
            { _ in .status(.serviceUnavailable) },
            { _ in .json(#"{"access_token": "\#(canary)", "refresh_token": 5, "token_type": "Bearer"}"#) },
            { _ in .json(#"{"access_token": "\#(canary) x", "token_type": "Bearer"}"#) },
            { _ in .json(#"{"access_token": "\#(canary)", "token_type": "Bearer", "id_token": "\#(canary)"}"#) },
            { _ in .json(#"{"access_token": "\#(canary)", "token_type": "Bearer", "expires_in": "x"}"#) },
            { _ in .json(#"{"access_token": "\#(canary)", "access_token": "\#(canary)"}"#) },
            { _ in .json(#"{"access_token": "\#(canary)""#) },
            { _ in .json(#"["\#(canary)"]"#) },
            { request in
                let sent = (request.formValue("code") ?? "") + (request.formValue("refresh_token") ?? "")
                return .json(
                    #"{"error": "invalid_request", "error_description": "\#(sent) is no good", "error_uri": "https://id.example/?t=\#(sent)"}"#,
                    status: .badRequest
                )
            },
        ]
        for answer in answers {
            network.intercept("/token", answer)
            await work()
        }
        network.intercept("/token", nil)
        network.options.idTokens = { claims, _ in
            try network.sign(claims.filter { $0.name != "at_hash" } + [JSONMember(name: "at_hash", value: "AAAA")])
        }
        await work()
        network.options.idTokens = nil
    }
}
