// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("WWW-Authenticate challenges")
struct ChallengeTests {
    /// Formats challenges as `scheme token68 {name=value,…}`, separated by `; `.
    private static func text(_ field: String) -> String {
        AuthenticationChallenge.parse(field)
            .map { challenge in
                let parameters = challenge.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                let parts = [challenge.scheme, challenge.token68, "{" + parameters.joined(separator: ",") + "}"]
                return parts.compactMap { $0 }.joined(separator: " ")
            }
            .joined(separator: "; ")
    }

    @Test("Keeps at most 100 scopes and algorithms of a challenge")
    func longLists() {
        let names = (1...1_000).map { "a\($0)" }.joined(separator: " ")
        var response = HTTPResponse(status: .unauthorized)
        response.headerFields[.wwwAuthenticate] = "DPoP scope=\"\(names)\", algs=\"\(names)\""
        let error = BearerChallengeError(response)
        #expect(error?.scope.count == 100)
        #expect(error?.algorithms.count == 100)
    }

    @Test(
        "Parses a field as RFC 9110 defines",
        .covers(121),
        arguments: [
            ("Bearer", "Bearer {}"), ("Bearer realm=\"x\"", "Bearer {realm=x}"),
            ("Bearer realm=\"a, b\", error=\"invalid_token\"", "Bearer {error=invalid_token,realm=a, b}"),
            ("bearer Error=invalid_token", "bearer {error=invalid_token}"),
            ("Bearer realm = \"x\" , error = y", "Bearer {error=y,realm=x}"),
            ("Bearer realm=\"a \\\"quoted\\\" \\\\ text\"", "Bearer {realm=a \"quoted\" \\ text}"),
            ("Basic realm=\"a\", Bearer realm=\"b\"", "Basic {realm=a}; Bearer {realm=b}"),
            ("Basic, Bearer", "Basic {}; Bearer {}"), ("Basic , , Bearer x=1,", "Basic {}; Bearer {x=1}"),
            ("Negotiate", "Negotiate {}"), ("Negotiate YII=", "Negotiate YII= {}"),
            ("Negotiate a+/b==, Bearer error=\"x\"", "Negotiate a+/b== {}; Bearer {error=x}"),
            (
                "DPoP algs=\"ES256 PS256\", error=\"use_dpop_nonce\", Bearer",
                "DPoP {algs=ES256 PS256,error=use_dpop_nonce}; Bearer {}"
            ),
            (
                "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\"",
                "Newauth {realm=apps,title=Login to \"apps\",type=1}; Basic {realm=simple}"
            ),
            (
                "Bearer error=\"invalid_token\" error_description=\"no comma\"",
                "Bearer {error=invalid_token,error_description=no comma}"
            ),
            ("Bearer x=1, x=2, X=3", "Bearer {x=1}"), ("Bearer x=\"\"", "Bearer {x=}"),
            ("\tBearer\tx=1", "Bearer {x=1}"),
            ("Bearer realm=\"\u{E9}\"", "Bearer {realm=\u{E9}}"),
            ("", ""), (" , ,", ""), ("=", ""), ("\"", ""), ("\"Bearer\"", ""), ("(comment)", ""), ("\u{E9}", ""),
            ("Bearer \"", "Bearer {}"), ("Bearer realm=\"unterminated", "Bearer {}"),
            ("Bearer realm=\"x\\", "Bearer {}"),
            ("Bearer scope=\"a\", realm=\"unterminated, Basic", "Bearer {scope=a}"), ("Bearer =x", "Bearer {}"),
            ("Bearer realm=", "Bearer realm= {}"), ("Bearer realm=,", "Bearer realm= {}"),
            ("Bearer,x=1", "Bearer {x=1}"),
            ("Bearer/x", ""),
        ]
    )
    func vectors(field: String, expected: String) {
        #expect(Self.text(field) == expected)
    }

    /// The number of bytes of text in the challenges.
    private static func size(_ challenges: [AuthenticationChallenge]) -> Int {
        challenges.reduce(0) { size, challenge in
            challenge.parameters.reduce(size + challenge.scheme.utf8.count + (challenge.token68?.utf8.count ?? 0)) {
                $0 + $1.key.utf8.count + $1.value.utf8.count
            }
        }
    }

    @Test("Parses 20,000 random fields without a trap and never returns more text than a field has", .covers(121))
    func fuzz() {
        let seed = TestSeed.printed()
        let random = SeededRandomBytes(seed: seed)
        let pieces = [
            "Bearer", "Basic", "realm", "error", "=", "=", ",", ",", " ", "\"", "\"", "\\", "\t", "\u{E9}", "\u{0}",
            "\r\n",
            "==", "a", "/", "+", "scope", "x\u{301}", ";", "(", "\u{1F600}", "\u{7F}",
        ]
        .map { Array($0.utf8) }
        for round in 0..<20_000 {
            let bytes = random.next(20)
            let field = String(decoding: bytes.dropLast().flatMap { pieces[Int($0) % pieces.count] }, as: UTF8.self)
            let challenges = AuthenticationChallenge.parse(field)
            if Self.size(challenges) > field.utf8.count || challenges.contains(where: \.scheme.isEmpty) {
                Issue.record("seed \(seed), round \(round): \(field.debugDescription)")
            }
            guard round % 20 == 0 else { continue }
            var response = HTTPResponse(status: .unauthorized)
            response.headerFields[.wwwAuthenticate] = field
            _ = BearerChallengeError(response).map { "\($0) \($0.recoverySuggestion ?? "")" }
        }
    }

    @Test(
        "Reads only a limited part of a 1 MB field",
        .covers(121),
        arguments: ["a=\"", "Bearer ", ",", "\\\"", "x=1,", "A a=\"b"]
    )
    func long(_ piece: String) {
        let challenges = AuthenticationChallenge.parse(
            "Bearer " + String(repeating: piece, count: 1_000_000 / piece.count)
        )
        #expect(challenges.first?.scheme == "Bearer")
        #expect(Self.size(challenges) <= 16_384)
    }

    @Test("Finds a bearer challenge among others, in one field or several", .covers(121))
    func bearer() throws {
        var response = HTTPResponse(status: .forbidden)
        response.headerFields.append(HTTPField(name: .wwwAuthenticate, value: #"Basic realm="x""#))
        #expect(BearerChallengeError(response) == nil)
        response.headerFields.append(
            HTTPField(
                name: .wwwAuthenticate,
                value: #"DPoP, BEARER error="insufficient_scope", scope="a b", realm="r""#
            )
        )
        let challenge = try #require(BearerChallengeError(response))
        #expect(challenge.status == 403)
        #expect(challenge.isInsufficientScope)
        #expect(challenge.realm == "r")
        #expect(challenge.scope == ["a", "b"])
        #expect(challenge.recoverySuggestion == "Ask the user to grant more scopes: a b")
        #expect(BearerChallengeError(HTTPResponse(status: .unauthorized)) == nil)
    }

    @Test(
        "Prefers the bearer challenge with an error and reads its resource_metadata",
        .covers(121)
    )
    func several() throws {
        var response = HTTPResponse(status: .unauthorized)
        response.headerFields[.wwwAuthenticate] =
            #"Bearer realm="a" , Negotiate x==, bearer realm="b", error="invalid_token","#
            + #" Resource_Metadata="https://api.example/meta?a=1,b" , DPoP error="use_dpop_nonce""#
        let challenge = try #require(BearerChallengeError(response))
        #expect(challenge.realm == "b")
        #expect(challenge.error == "invalid_token")
        #expect(challenge.resourceMetadata == "https://api.example/meta?a=1,b")
        response.headerFields[.wwwAuthenticate] = #"Bearer realm="a", Bearer realm="b""#
        #expect(BearerChallengeError(response)?.realm == "a")
        #expect(BearerChallengeError(response)?.resourceMetadata == nil)
    }

    @Test(
        "Parses a DPoP challenge like a bearer challenge and prefers the one with an error",
        .covers(101, 121),
        arguments: [
            (#"DPoP error="invalid_token", algs="ES256 PS256""#, TokenType.dpop, "invalid_token", ["ES256", "PS256"]),
            (#"dpop algs="ES256""#, .dpop, nil, ["ES256"]), (#"Bearer, DPOP algs="ES256""#, .bearer, nil, []),
            (#"Bearer, DPoP error="insufficient_scope", scope="a""#, .dpop, "insufficient_scope", []),
            (#"DPoP algs="ES256", Bearer error="invalid_token""#, .bearer, "invalid_token", []),
        ] as [(String, TokenType, String?, [String])]
    )
    func dpop(value: String, type: TokenType, error: String?, algorithms: [String]) throws {
        let response = HTTPResponse(status: .unauthorized, headerFields: [.wwwAuthenticate: value])
        let challenge = try #require(BearerChallengeError(response))
        #expect(challenge.tokenType == type)
        #expect(challenge.error == error)
        #expect(challenge.algorithms == algorithms)
        #expect(challenge.isInsufficientScope == (error == "insufficient_scope"))
    }

    @Test("Escapes terminal control characters in the description of a challenge")
    func terminalCharacters() throws {
        var response = HTTPResponse(status: .forbidden)
        let hostile = "\u{202E}\u{9B}31m"
        response.headerFields[.wwwAuthenticate] =
            "Bearer error=\"insufficient_scope\", scope=\"read \(hostile)\", error_description=\"\(hostile)\""
        let challenge = try #require(BearerChallengeError(response))
        #expect(challenge.serverDescription == hostile)
        let text = "\(challenge)"
        #expect(text.contains("\\u{202e}\\u{9b}31m"))
        #expect(!text.contains("\u{202E}"))
        #expect(!text.contains("\u{9B}"))
        // An invalid scope is left out because it could not be requested.
        #expect(challenge.scope == ["read"])
        #expect(challenge.recoverySuggestion == "Ask the user to grant more scopes: read")
    }
}
