// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Secrets of a consent")
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
        "No secret of a sign-in is in anything that comes out of it, whatever goes wrong on the way",
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
            run.outputs.take(signIn)
            func session() async throws -> OAuthSession {
                let session = try await signIn.signIn(scopes: [.openID, .email], options: options)
                session.record.dpopKey.map { key in
                    run.canaries.take(pem: key.pem.withUnredacted { $0 }, "DPoP key")
                }
                run.outputs.take(session.record)
                return session
            }
            try await run.exercise("/token", session)
            if options.pushesAuthorizationRequest { try await run.exercise("/par", session) }
            // The provider knows everything that was asked with, also what does not come back.
            run.browser.script { url in
                let words = FormParameter.parse(url).filter { $0.name == "nonce" }.map(\.value).joined()
                return try run.network.consent(to: url) + "&error=server_fault&error_description=" + words
            }
            await run.outputs.take(session)
            for redirect in Self.redirects {
                run.browser.script { redirect(try run.network.consent(to: $0)) }
                await run.outputs.take(session)
            }
        }
        run.expectTraces([("token", "authorization_code")])
        if options.pushesAuthorizationRequest { run.expectTraces([("pushed_authorization_request", nil)]) }
        run.expectNoSecret(kind.names)
    }

    /// Redirects that are wrong in one way, with the code and the state wherever they fit.
    private static let redirects: [@Sendable (String) -> String] = [
        { $0 + "&error=server_fault&error_description=" + Self.query($0) },
        { $0 + "&error=" + Self.query($0) },
        { $0 + "&error=x&error_uri=https%3A%2F%2Fid.example%2F%3F" + Self.query($0) },
        { $0.replacing("iss=https%3A%2F%2Fid.example", with: "iss=" + Self.query($0)) },
        { $0 + "&code=again" }, { $0 + "&access_token=" + Self.query($0) }, { $0 + "&response=" + Self.query($0) },
        { $0.replacing("code=", with: "code=%0A") }, { $0.replacing("state=", with: "state=x") },
        { $0.replacing("127.0.0.1", with: "127.0.0.2") }, { $0 + "&x=%zz" },
    ]

    /// The code and the state of a redirect as a value of another query.
    private static func query(_ redirect: String) -> String {
        let query = redirect.drop { $0 != "?" }.dropFirst().replacing("&iss=https%3A%2F%2Fid.example", with: "")
        return FormParameters.encode(String(query))
    }
}
