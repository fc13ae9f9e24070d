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

@Suite("Secret redaction when sessions end")
struct CanaryEndTests {
    @Test("Leaks no secret when a session ends by revocation, logout or a rejected refresh", .covers(124))
    func ends() async throws {
        let run = try CanaryRun()
        try await run.outputs.watching {
            let signIn = try run.signIn()
            func session() async throws -> OAuthSession { try await signIn.signIn(scopes: [.openID]) }
            try await run.exercise("/revoke", toleratedFaults: 3) { try await session().disconnect() }
            try await Self.endSession(run, signIn, session)
            try await Self.logoutToken(run, signIn, session)
            // The provider rejects the refresh token and repeats it in the error description.
            let rejected = try await session()
            let events = rejected.events()
            run.network.clock.advance(by: .seconds(3_600))
            run.network.intercept("/token") { request in
                let description = request.form.map(\.value).joined(separator: " ")
                return .json(
                    #"{"error": "invalid_grant", "error_description": "\#(description)"}"#,
                    status: .badRequest
                )
            }
            await run.outputs.record { try await rejected.accessToken() }
            run.outputs.record(rejected)
            for await event in events { run.outputs.record(event) }
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
            let current = try await session()
            run.browser.script { redirect in
                guard !parameter.isEmpty else { return redirect }
                let description = FormParameters.encode(redirect)
                return redirect + (parameter == "error" ? "" : "&error=server_fault") + "&\(parameter)=" + description
            }
            await run.outputs.record { try await signIn.endSession(current) }
            run.browser.script(nil)
        }
        let request = EndSessionRequest(
            idTokenHint: Secret(CanaryEndpoints.secret("hint")),
            postLogoutRedirectURI: try RedirectURI(ScriptedUserAgent.redirectURI)
        )
        let pending = try PendingLogout(request, by: try run.client())
        run.canaries.record(url: pending.logoutURL)
        run.outputs.record(request)
        run.outputs.record(pending)
    }

    private static func logoutToken(
        _ run: CanaryRun,
        _ signIn: SignIn,
        _ session: () async throws -> OAuthSession
    ) async throws {
        _ = try await session()
        let now = Int64(run.network.clock.date.timeIntervalSince1970)
        let validClaims: [JSONMember] = [
            JSONMember(name: "iss", value: .string(ScriptedProvider.issuer)),
            JSONMember(name: "aud", value: "test-client"), JSONMember(name: "iat", value: .integer(now)),
            JSONMember(name: "exp", value: .integer(now + 60)), JSONMember(name: "jti", value: "j"),
            JSONMember(name: "sub", value: "ada"),
            JSONMember(name: "events", value: .object([JSONMember(name: LogoutToken.event, value: .object([]))])),
        ]
        for name in ["iss", "aud", "exp", "events", "jti", ""] {
            let claims = validClaims.map { $0.name == name ? JSONMember(name: name, value: ["wrong"]) : $0 }
            let payload = JSONNode.object(claims).serialized()
            let token = try run.network.signingKey.sign(payload: payload, type: "logout+jwt")
            run.canaries.add("logout token", token)
            await run.outputs.record { try await signIn.receive(logoutToken: Secret(token)) }
            await run.outputs.record { try await signIn.receive(logoutToken: Secret(token + "x")) }
        }
    }
}
