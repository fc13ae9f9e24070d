// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Secret redaction in sessions")
struct CanarySessionTests {
    @Test(
        "Leaks no token, code, verifier or client secret into text, errors, logs, metrics or spans",
        .covers(124),
        .shows(claims: 41, 42),
        arguments: [false, true]
    )
    func session(isBound: Bool) async throws {
        var options = ScriptedProvider.Options()
        options.supportsDPoP = isBound
        let run = try CanaryRun(options)
        try await run.outputs.watching {
            let signIn = try run.signIn { if isBound { $0.dpop = .required } }
            let session = try await signIn.signIn(scopes: [.openID, .email])
            session.record.dpopKey.map { key in run.canaries.record(pem: key.pem.withUnredacted { $0 }, "DPoP key") }
            let events = session.events()
            for value in [session, session.record, session.grantedScopes, session.idToken as Any, run.store, signIn]
                as [Any]
            {
                run.outputs.record(value)
            }
            try await Self.refresh(run, session)
            try await Self.requestUserInfo(run, session)
            try await Self.fetch(run, session)
            try await run.exercise("/token") { try await signIn.addScopes([CanaryEndpoints.scope()], to: session) }
            run.browser.script { try run.network.consent(to: $0, as: "eve") }
            await run.outputs.record { try await signIn.addScopes(["more"], to: session) }
            run.browser.script(nil)
            run.outputs.attempt {
                try SessionRecord(decoding: Array(session.record.encoded().dropLast(9)), location: "file")
            }
            try await session.signOut()
            for await event in events { run.outputs.record(event) }
        }
        run.expectTraces([("token", "authorization_code"), ("token", "refresh_token"), ("userinfo", nil)])
        let names: Set = ["code", "state", "nonce", "code_verifier", "access_token", "refresh_token", "id_token"]
        run.expectNoSecret(names.union(["client_secret"]).union(isBound ? ["DPoP key", "proof"] : []))
    }

    private static func refresh(_ run: CanaryRun, _ session: OAuthSession) async throws {
        try await run.exercise("/token") {
            run.network.clock.advance(by: .seconds(3_600))
            return try await session.accessToken()
        }
        run.store.fail(.save, .full)
        run.network.clock.advance(by: .seconds(3_600))
        await run.outputs.record { try await session.accessToken() }
        run.store.before(.save, nil)
        _ = try await session.accessToken()
    }

    private static func requestUserInfo(_ run: CanaryRun, _ session: OAuthSession) async throws {
        try await run.exercise("/userinfo") { try await session.userInfo() }
        run.network.intercept("/userinfo") { [network = run.network] _ in
            let claims = [
                JSONMember(name: "iss", value: .string(ScriptedProvider.issuer)), JSONMember(name: "sub", value: "ada"),
                JSONMember(name: "aud", value: "test-client"),
            ]
            return .json(try network.sign(claims), headerFields: [.contentType: "application/jwt"])
        }
        try await run.exercise("/userinfo") { try await session.userInfo() }
        run.network.intercept("/userinfo", nil)
    }

    private static func fetch(_ run: CanaryRun, _ session: OAuthSession) async throws {
        run.outputs.record(session.fetcher)
        let fetcher = session.fetcher(settings: FetchSettings(backoff: .once))
        let url = "\(ScriptedProvider.api)/v1"
        // The caller gets malformed responses of an API unchanged, and these requests have no deadline.
        for fault in Fault.all where ![.contentType, .twice, .truncated, .timeout].contains(fault) {
            run.transport.fail("/v1", fault)
            await run.outputs.record { try await fetcher.data(for: HTTPRequest(url: url)) }
        }
        run.transport.fail("/v1", nil)
        let token = try await session.accessToken()
        run.outputs.record(token)
        let tokenURL = token.secret.withUnredacted { "\(ScriptedProvider.api)/?access_token=\($0)" }
        for url in [url, "https://evil.example/", tokenURL] {
            await run.outputs.record { try await fetcher.data(for: HTTPRequest(url: url)) }
        }
    }
}
