// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Secrets at a session's end")
struct CanaryEndTests {
    @Test("No secret is in anything that comes of a session's end, by whomever it comes", .covers(124))
    func ends() async throws {
        let run = try CanaryRun()
        try await run.outputs.watching {
            let signIn = try run.signIn()
            func session() async throws -> OAuthSession { try await signIn.signIn(scopes: [.openID]) }
            try await run.exercise("/revoke", swallows: 3) { try await session().disconnect() }
            try await Self.endSession(run, signIn, session)
            try await Self.logoutToken(run, signIn, session)
            // The refresh token is refused, in words that repeat it.
            let refused = try await session()
            let events = refused.events()
            run.network.clock.advance(by: .seconds(3_600))
            run.network.intercept("/token") { request in
                let words = request.form.map(\.value).joined(separator: " ")
                return .json(#"{"error": "invalid_grant", "error_description": "\#(words)"}"#, status: .badRequest)
            }
            await run.outputs.take { try await refused.accessToken() }
            run.outputs.take(refused)
            for await event in events { run.outputs.take(event) }
        }
        run.expectTraces([("revocation", nil)])
        run.expectNoSecret(["token", "id_token_hint", "state", "logout token", "refresh_token"])
    }

    private static func endSession(
        _ run: CanaryRun,
        _ signIn: SignIn,
        _ session: () async throws -> OAuthSession
    ) async throws {
        for parameter in ["", "error_description", "error_uri", "error"] {
            let present = try await session()
            run.browser.script { redirect in
                guard !parameter.isEmpty else { return redirect }
                let words = FormParameters.encode(redirect)
                return redirect + (parameter == "error" ? "" : "&error=server_fault") + "&\(parameter)=" + words
            }
            await run.outputs.take { try await signIn.endSession(present) }
            run.browser.script(nil)
        }
        let request = EndSessionRequest(
            idTokenHint: Secret(CanaryEndpoints.secret("hint")),
            postLogoutRedirectURI: try RedirectURI(ScriptedUserAgent.redirectURI)
        )
        let pending = try PendingLogout(request, by: try run.client())
        run.canaries.take(url: pending.logoutURL)
        run.outputs.take(request)
        run.outputs.take(pending)
    }

    private static func logoutToken(
        _ run: CanaryRun,
        _ signIn: SignIn,
        _ session: () async throws -> OAuthSession
    ) async throws {
        _ = try await session()
        let now = Int64(run.network.clock.date.timeIntervalSince1970)
        let sound: [JSONMember] = [
            JSONMember(name: "iss", value: .string(ScriptedProvider.issuer)),
            JSONMember(name: "aud", value: "test-client"), JSONMember(name: "iat", value: .integer(now)),
            JSONMember(name: "exp", value: .integer(now + 60)), JSONMember(name: "jti", value: "j"),
            JSONMember(name: "sub", value: "ada"),
            JSONMember(name: "events", value: .object([JSONMember(name: LogoutToken.event, value: .object([]))])),
        ]
        for name in ["iss", "aud", "exp", "events", "jti", ""] {
            let claims = sound.map { $0.name == name ? JSONMember(name: name, value: ["wrong"]) : $0 }
            let payload = JSONNode.object(claims).serialized()
            let token = try run.network.signingKey.sign(payload: payload, type: "logout+jwt")
            run.canaries.add("logout token", token)
            await run.outputs.take { try await signIn.receive(logoutToken: Secret(token)) }
            await run.outputs.take { try await signIn.receive(logoutToken: Secret(token + "x")) }
        }
    }
}
