// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

@Suite("DPoP proof")
struct DPoPProofTests {
    private static let runtime = OAuthRuntime.testing(transport: ScriptedTransport([]))

    private static func request(
        _ path: String = "/token?a=b",
        _ authority: String = "as.example",
        method: HTTPRequest.Method = .post,
        scheme: String = "https"
    ) -> HTTPRequest {
        HTTPRequest(method: method, scheme: scheme, authority: authority, path: path)
    }

    @Test(
        "Contains the type, algorithm, public key, method and URL",
        .covers(100),
        arguments: [JWSAlgorithm.es256, .es384, .es512, .edDSA, .ps256]
    )
    func form(_ algorithm: JWSAlgorithm) throws {
        let key = try DPoPKey.generate(algorithm)
        let proof = try ReadProof(
            try DPoPProof(for: Self.request()).signed(by: key, runtime: Self.runtime).withUnredacted { $0 }
        )
        #expect(proof.header["typ"]?.string == "dpop+jwt")
        #expect(proof.header["alg"]?.string == algorithm.rawValue)
        #expect(proof.header.members?.map(\.name).sorted() == ["alg", "jwk", "typ"])
        let members = Set(proof.header["jwk"]?.members?.map(\.name) ?? [])
        #expect(members.isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]))
        #expect(members.contains("kty"))
        #expect(proof.key.thumbprint == key.thumbprint)
        #expect(proof.claims.members?.map(\.name).sorted() == ["htm", "htu", "iat", "jti"])
        #expect(proof.claim("htm") == "POST")
        #expect(proof.claim("htu") == "https://as.example/token")
        #expect(try proof.claims["iat"]?.integer(Int64.self) == Int64(Self.runtime.now().timeIntervalSince1970) - 1)
    }

    @Test(
        "Normalizes htu and removes its query and fragment",
        .covers(100),
        arguments: [
            (Self.request("/a/B?c=d#e"), "https://as.example/a/B"), (Self.request("/a#e"), "https://as.example/a"),
            (Self.request("/"), "https://as.example/"), (Self.request("/x", "AS.example:443"), "https://as.example/x"),
            (Self.request("/x", "as.example:8443"), "https://as.example:8443/x"),
            (Self.request("/x", "127.0.0.1:80", scheme: "http"), "http://127.0.0.1/x"),
            (Self.request("/x", "[::1]:443", scheme: "http"), "http://[::1]:443/x"),
        ]
    )
    func target(request: HTTPRequest, url: String) throws {
        #expect(try DPoPProof(for: request).url == url)
    }

    @Test("Contains the request's method in htm", .covers(100))
    func method() throws {
        #expect(try DPoPProof(for: Self.request(method: .get)).method == "GET")
    }

    @Test(
        "Rejects a request without an absolute URL",
        .covers(100),
        arguments: [Self.request(""), Self.request("x"), Self.request("/", "a@b"), Self.request("/", "")]
    )
    func noTarget(request: HTTPRequest) {
        #expect(outcome { try DPoPProof(for: request) } == "InvalidRequestError htu")
    }

    @Test("Contains the hash of the access token only if there is one", .covers(100))
    func accessTokenHash() throws {
        // RFC 9449, section 7.1.
        let token = Secret("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU")
        #expect(
            try DPoPProof(for: Self.request(), accessToken: token).accessTokenHash
                == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"
        )
        #expect(try DPoPProof(for: Self.request()).accessTokenHash == nil)
    }

    @Test("Has a new jti each time and replaces the request's previous proof", .covers(100))
    func uniqueness() throws {
        let prover = DPoPProver(try .generate(), runtime: Self.runtime)
        var request = Self.request()
        var seen: Set<String> = []
        for _ in 0..<50 {
            try prover.addProof(to: &request)
            let id = try #require(try ReadProof(request).claim("jti"))
            #expect(id.utf8.count >= 16)
            seen.insert(id)
        }
        #expect(seen.count == 50)
    }

    @Test(
        "A key restored from PEM equals the original, and no description shows it",
        .covers(104, 124),
        arguments: [.es256, .edDSA, .ps256] as [JWSAlgorithm]
    )
    func storedKey(algorithm: JWSAlgorithm) throws {
        let key = try DPoPKey.generate(algorithm)
        let read = try DPoPKey(pem: key.pem, algorithm: algorithm)
        #expect(read == key)
        #expect(read.thumbprint == key.thumbprint)
        let text = key.pem.withUnredacted { $0 }
        let body = try #require(text.split(separator: "\n").dropFirst().first)
        var dumped = ""
        dump(key, to: &dumped)
        dump(DPoPProver(key, runtime: Self.runtime), to: &dumped)
        for shown in ["\(key)", String(reflecting: key), dumped] { #expect(!shown.contains(body)) }
    }

    @Test("Generates a different key each time and rejects text that is not PEM", .covers(104))
    func otherKeys() throws {
        #expect(try DPoPKey.generate() != DPoPKey.generate())
        #expect(throws: JWSSigningKeyError.self) { try DPoPKey(pem: Secret("nothing")) }
    }
}
