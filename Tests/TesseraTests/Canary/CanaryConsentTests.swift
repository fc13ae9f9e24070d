// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Secret redaction in browser sign-ins")
struct CanaryConsentTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var options = SignInOptions()
        var isBound = false
        var isSigned = false
        var names: Set<String> = ["code", "state", "nonce", "code_verifier", "client_secret", "id_token"]
    }

    private static let kinds = [
        Kind(testDescription: "plain"),
        Kind(
            testDescription: "pushed",
            options: .with { $0.pushesAuthorizationRequest = true },
            names: ["request_uri"]
        ),
        Kind(testDescription: "signed", isSigned: true, names: ["request"]),
        Kind(testDescription: "JARM", options: .with { $0.responseMode = .queryJWT }, names: ["response", "code"]),
        Kind(testDescription: "form post", options: .with { $0.responseMode = .formPost }),
        Kind(
            testDescription: "hybrid",
            options: .with {
                $0.responseType = .codeIDToken
                $0.responseMode = .formPost
            },
            names: ["id_token", "code"]
        ),
        Kind(testDescription: "DPoP", isBound: true, names: ["proof", "code", "access_token"]),
    ]

    @Test(
        "Leaks no secret of a browser sign-in into any output, whatever fails",
        .covers(124),
        arguments: Self.kinds
    )
    func consent(_ kind: Kind) async throws {
        var providerOptions = ScriptedProvider.Options()
        providerOptions.supportsDPoP = kind.isBound
        let run = try CanaryRun(providerOptions)
        var options = kind.options
        if kind.isSigned { options.requestSigningKey = run.assertionKey }
        try await run.outputs.watching { [options] in
            let signIn = try run.signIn { if kind.isBound { $0.dpop = .required } }
            run.outputs.record(signIn)
            func session() async throws -> OAuthSession {
                let session = try await signIn.signIn(scopes: [.openID, .email], options: options)
                session.record.dpopKey.map { key in
                    run.canaries.record(pem: key.pem.withUnredacted { $0 }, "DPoP key")
                }
                run.outputs.record(session.record)
                return session
            }
            try await run.exercise("/token", session)
            if options.pushesAuthorizationRequest { try await run.exercise("/par", session) }
            // The provider can repeat parameters of the request that are not part of the redirect.
            run.browser.script { url in
                let nonce = FormParameter.parse(url).filter { $0.name == "nonce" }.map(\.value).joined()
                return try run.network.consent(to: url) + "&error=server_fault&error_description=" + nonce
            }
            await run.outputs.record(session)
            for redirect in Self.redirects {
                run.browser.script { redirect(try run.network.consent(to: $0)) }
                await run.outputs.record(session)
            }
        }
        run.expectTraces([("token", "authorization_code")])
        if options.pushesAuthorizationRequest { run.expectTraces([("pushed_authorization_request", nil)]) }
        run.expectNoSecret(kind.names)
    }

    /// Redirects with one error each, which contain the code and the state wherever possible.
    private static let redirects: [@Sendable (String) -> String] = [
        { $0 + "&error=server_fault&error_description=" + Self.query($0) },
        { $0 + "&error=" + Self.query($0) },
        { $0 + "&error=x&error_uri=https%3A%2F%2Fid.example%2F%3F" + Self.query($0) },
        { $0.replacing("iss=https%3A%2F%2Fid.example", with: "iss=" + Self.query($0)) },
        { $0 + "&code=again" }, { $0 + "&access_token=" + Self.query($0) }, { $0 + "&response=" + Self.query($0) },
        { $0.replacing("code=", with: "code=%0A") }, { $0.replacing("state=", with: "state=x") },
        { $0.replacing("127.0.0.1", with: "127.0.0.2") }, { $0 + "&x=%zz" },
    ]

    /// Returns the code and the state of a redirect, encoded as the value of a query parameter.
    private static func query(_ redirect: String) -> String {
        let query = redirect.drop { $0 != "?" }.dropFirst().replacing("&iss=https%3A%2F%2Fid.example", with: "")
        return FormParameters.encode(String(query))
    }
}
