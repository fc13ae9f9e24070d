// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Secret redaction in web sign-ins")
struct CanaryServerTests {
    @Test(
        "Leaks no secret of a web sign-in, and traces each exchange",
        .covers(124)
    )
    func web() async throws {
        let run = try CanaryRun()
        try await run.outputs.watching {
            let web = WebSignIn(
                try run.signIn(),
                redirectURI: try RedirectURI("https://site.example/callback"),
                attempts: InMemoryStore()
            )
            run.outputs.record(web)
            let browser = web.newBrowser()
            browser.withUnredacted { run.canaries.add("cookie", $0) }
            func completeSignIn() async throws -> WebSignIn.Result {
                let url = try await web.begin(scopes: [.openID, .email], in: browser)
                let sent = FormParameter.parse(String(url.drop { $0 != "?" }.dropFirst()))
                for parameter in sent where ["state", "nonce"].contains(parameter.name) {
                    run.canaries.add(parameter.name, parameter.value)
                }
                return try await web.finish(try run.network.consent(to: url), in: browser)
            }
            try await run.exercise("/token", completeSignIn)
            let url = try await web.begin(scopes: [.openID], in: browser)
            let redirect = try run.network.consent(to: url)
            await run.outputs.record { try await web.finish(redirect, in: web.newBrowser()) }
            await run.outputs.record { try await web.finish(redirect + "&code=twice", in: browser) }
            await run.outputs.record { try await web.finish(redirect, in: browser) }
            await run.outputs.record { try await web.finish(redirect, in: browser) }
        }
        run.expectTraces([("token", "authorization_code")])
        run.expectNoSecret(["cookie", "state", "nonce", "code", "code_verifier", "client_secret", "id_token"])
    }
}
