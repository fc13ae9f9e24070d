// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Secrets of pages, and of sign-ins that end early")
struct CanaryPageTests {
    @Test(
        "No secret is on the last page, in why a redirect is not ours, or in a sign-in that is refused or not kept",
        .covers(124)
    )
    func pages() async throws {
        let run = try CanaryRun()
        let agent = ScriptedUserAgent.Later()
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
                await run.outputs.take { try await signIn.signIn(scopes: [.openID, .email]) }
            }
            agent.script { [try network.consent(to: $0)] }
            var options = SignInOptions()
            options.requiredClaims = ["hd": "x"]
            await run.outputs.take { try await signIn.signIn(scopes: [.openID], options: options) }
            for operation in [WatchedStore.Operation.probe, .save] {
                run.store.fail(operation, .full)
                await run.outputs.take { try await signIn.signIn(scopes: [.openID]) }
                run.store.before(operation, nil)
            }
            run.outputs.take(try await signIn.signIn(scopes: [.openID, .email]))
            #expect(run.outputs.errors >= 6)
            #expect(!userAgent.pages.isEmpty)
            #expect(!userAgent.reasons.isEmpty)
            for page in userAgent.pages { run.outputs.take(page) }
            for reason in userAgent.reasons { run.outputs.take(reason) }
        }
        run.expectNoSecret(["code", "code_verifier", "refresh_token"])
    }

    @Test("What a metric says of a failure is its kind: a registered code, a status, a broken protocol", .covers(124))
    func outcomes() async throws {
        let run = try CanaryRun()
        try await run.outputs.watching {
            let agent = ScriptedUserAgent.Later()
            agent.script { [try run.network.consent(to: $0)] }
            let session = try await Self.signIn(try run.provider(), run, agent.agent).signIn(scopes: [.openID])
            for (answer, outcome) in [
                (ScriptedAnswer.status(.serviceUnavailable), "http_503"), (.json("[]"), "protocol_violation"),
                (.json(#"{"error": "made_up_\#(CanaryRun.marker)"}"#, status: .badRequest), "other_error"),
                (.json(#"{"error": "invalid_grant"}"#, status: .badRequest), "invalid_grant"),
            ] {
                run.network.clock.advance(by: .seconds(3_600))
                run.network.intercept("/token") { _ in answer }
                await run.outputs.take { try await session.accessToken() }
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
