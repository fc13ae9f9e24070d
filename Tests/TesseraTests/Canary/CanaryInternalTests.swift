// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
@testable internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
@testable internal import TesseraStores
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Secret redaction in mirrors")
struct CanaryInternalTests {
    /// One value of every type with a mirror without children.
    private static func redactedValues() throws -> [Any] {
        let run = try CanaryRun()
        let key = try JWSSigningKey.generate(.edDSA)
        let client = try run.client()
        let object = try JSONValue(parsing: #"{"a": ["b"]}"#)
        let request = AuthorizationRequest(redirectURI: try RedirectURI("https://app.example/cb"), scopes: [.openID])
        let pending = try PendingAuthorization(
            request,
            metadata: client.metadata,
            client: client.client,
            runtime: client.runtime
        )
        var form = FormParameters()
        form.append("a", "b")
        return [
            Secret("a"), key, DPoPKey(key), JWSMACKey(secret: [1, 2, 3]), StoreKey.random(), object,
            object.members as Any, object["a"]?.elements as Any, form, HTTPBody("a"),
            try TokenRequest.clientCredentials().message(for: client), DeliveredResponse.redirect("a"), pending,
            try PendingLogout(EndSessionRequest(idTokenHint: Secret("a")), by: client),
            ClientMetadata(clientName: "a"),
            KeychainItem(service: "s", account: "a", label: "l", attributes: [], data: [1]),
            try CompactJWS(parsing: try key.sign(payload: Array("{}".utf8))),
            CredentialTokenSource.clientCredentials(try run.provider(), runtime: run.runtime()), run.network,
        ]
    }

    @Test("Mirrors of values that hold secrets have no children", .covers(124))
    func mirrors() throws {
        for value in try Self.redactedValues() {
            var mirror = Mirror(reflecting: value)
            if mirror.displayStyle == .optional, let content = mirror.children.first?.value {
                mirror = Mirror(reflecting: content)
            }
            #expect(mirror.children.isEmpty, "\(type(of: value))")
        }
        let token = AccessToken(Secret("a"), expiresAt: nil)
        #expect(Mirror(reflecting: token).children.map(\.label) == ["expiresAt"])
    }

    @Test("Does not print the key of a store or the data of a keychain item", .covers(124))
    func storeKey() throws {
        let bytes = (1...32).map { UInt8($0) }
        let haystack = Haystack([String(decoding: bytes, as: UTF8.self)])
        let item = KeychainItem(service: "s", account: "a", label: "l", attributes: [], data: bytes)
        for text in Rendering.texts(try StoreKey(bytes)) + Rendering.texts(item) {
            #expect(haystack.find(in: text) == nil)
            #expect(!text.contains("Key("))
            #expect(!text.contains("data"))
        }
    }

    @Test("Leaks no password of a URL into an error", .covers(124))
    func addresses() async throws {
        let run = try CanaryRun()
        let password = CanaryEndpoints.secret("password")
        run.canaries.add("password", password)
        for url in ["https://ada:\(password)@id.example/", "ftp://ada:\(password)@id.example/"] {
            run.outputs.attempt { try Endpoint(url, name: "token_endpoint") }
            let client = try run.client()
            run.network.intercept("/device") { _ in
                .json(
                    #"{"device_code": "\#(CanaryEndpoints.secret("d"))", "user_code": "W", "expires_in": 60, "#
                        + #""verification_uri": "\#(url)"}"#
                )
            }
            await run.outputs.record { try await client.send(DeviceAuthorizationRequest(scopes: [])) }
        }
        for name in ["postgresql://ada:\(password)@db.example/x", "https:\(password)"] {
            run.outputs.attempt { try StoreURI(parsing: name) }
        }
        #expect(run.outputs.errors == 6)
        run.expectNoSecret(["password", "device_code"])
    }
}
