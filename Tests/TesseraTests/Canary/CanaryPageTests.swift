// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Secret redaction in result pages and failed sign-ins")
struct CanaryPageTests {
    @Test(
        "Leaks no secret into result pages, rejected redirects, or failed or unsaved sign-ins",
        .covers(124)
    )
    func pages() async throws {
        let run = try CanaryRun()
        let agent = ScriptedUserAgent.Replaceable()
        let userAgent = agent.agent
        try await run.outputs.watching {
            let signIn = Self.signIn(try run.provider(), run, userAgent)
            let network = run.network
            for script: ScriptedUserAgent.Script in [
                { [try network.denial(of: $0)] },
                { [try network.consent(to: $0).replacing("state=", with: "state=x"), try network.consent(to: $0)] },
                { [try network.consent(to: $0).replacing("iss=", with: "iss=x")] },
                { _ in throw SignInError(.noBrowser) },
            ] {
                agent.script(script)
                await run.outputs.record { try await signIn.signIn(scopes: [.openID, .email]) }
            }
            agent.script { [try network.consent(to: $0)] }
            var options = SignInOptions()
            options.requiredClaims = ["hd": "x"]
            await run.outputs.record { try await signIn.signIn(scopes: [.openID], options: options) }
            for operation in [WatchedStore.Operation.probe, .save] {
                run.store.fail(operation, .full)
                await run.outputs.record { try await signIn.signIn(scopes: [.openID]) }
                run.store.before(operation, nil)
            }
            run.outputs.record(try await signIn.signIn(scopes: [.openID, .email]))
            #expect(run.outputs.errors >= 6)
            #expect(!userAgent.pages.isEmpty)
            #expect(!userAgent.reasons.isEmpty)
            for page in userAgent.pages { run.outputs.record(page) }
            for reason in userAgent.reasons { run.outputs.record(reason) }
        }
        run.expectNoSecret(["code", "code_verifier", "refresh_token"])
    }

    @Test("Records only the kind of a failure as the outcome of a metric", .covers(124))
    func outcomes() async throws {
        let run = try CanaryRun()
        try await run.outputs.watching {
            let agent = ScriptedUserAgent.Replaceable()
            agent.script { [try run.network.consent(to: $0)] }
            let session = try await Self.signIn(try run.provider(), run, agent.agent).signIn(scopes: [.openID])
            for (response, outcome) in [
                (ScriptedResponse.status(.serviceUnavailable), "http_503"), (.json("[]"), "protocol_violation"),
                (.json(#"{"error": "made_up_\#(CanaryRun.marker)"}"#, status: .badRequest), "other_error"),
                (.json(#"{"error": "invalid_grant"}"#, status: .badRequest), "invalid_grant"),
            ] {
                run.network.clock.advance(by: .seconds(3_600))
                run.network.intercept("/token") { _ in response }
                await run.outputs.record { try await session.accessToken() }
                let seen = run.outputs.traces(of: "token", grantType: "refresh_token", outcome: outcome)
                #expect(seen == ["log", "span", "counter", "timer"], "\(outcome)")
            }
        }
        run.expectNoSecret(["refresh_token"])
    }

    private static func signIn(_ provider: Provider, _ run: CanaryRun, _ agent: ScriptedUserAgent) -> SignIn {
        SignIn(
            provider,
            runtime: run.runtime(),
            store: run.store,
            userAgent: agent,
            logger: run.outputs.logger
        )
    }
}
