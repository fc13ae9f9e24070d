// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Authorization request parameters")
struct RequestParametersTests {
    private static let claims = ClaimsRequest(
        idToken: [
            "acr": .init(isEssential: true, values: ["gold", "silver"]), "auth_time": .essential, "email": .voluntary,
            "sub": .init(values: ["ada"]),
        ],
        userInfo: ["picture": .voluntary]
    )

    @Test("Encodes the claims parameter as OpenID Connect Core 1.0, section 5.5, defines")
    func claims() throws {
        let pending = try Example.pending { $0.claims = Self.claims }
        let idToken =
            #"{"acr":{"essential":true,"values":["gold","silver"]},"auth_time":{"essential":true},"#
            + #""email":null,"sub":{"value":"ada"}}"#
        #expect(pending.sent("claims") == [#"{"id_token":\#(idToken),"userinfo":{"picture":null}}"#])
        #expect(try Example.pending().sent("claims") == [])
    }

    @Test(
        "Rejects an ID token without a required acr value or auth_time",
        .covers(93)
    )
    func essential() throws {
        let response = try #require(try Example.pending { $0.claims = Self.claims }.code())
        func result(_ changes: [String: String]) throws -> String {
            let token = try IDTokens.token(changes)
            return outcome {
                try IDTokens.validate(token) {
                    $0.bind(to: response)
                    $0.nonce = .equal(Secret("nonce"))
                }
            }
        }
        #expect(try result(["acr": "\"silver\"", "auth_time": "1"]) == "accepted")
        #expect(try result(["acr": "\"lead\"", "auth_time": "1"]) == "idToken.authenticationContext")
        #expect(try result(["auth_time": "1"]) == "idToken.authenticationContext")
        #expect(try result(["acr": "\"gold\""]) == "idToken.authenticationTime")
    }

    @Test("A policy bound to a response checks its nonce, max_age and code", .covers(92, 93, 94))
    func bound() throws {
        let pending = try Example.pending { $0.maxAge = 60 }
        let nonce = try #require(pending.sent("nonce").first)
        let response = try #require(try pending.code("the-code"))
        func result(_ changes: [String: String]) throws -> String {
            let valid = ["nonce": "\"\(nonce)\"", "auth_time": "1700000000"]
            let token = try IDTokens.token(valid.merging(changes) { $1 })
            return outcome { try IDTokens.validate(token) { $0.bind(to: response) } }
        }
        let hash = try #require(TokenHash.compute(of: "the-code", algorithm: .es256))
        #expect(try result(["c_hash": "\"\(hash)\""]) == "accepted")
        #expect(try result(["c_hash": "\"AAAAAAAAAAAAAAAAAAAAAA\""]) == "idToken.hash")
        #expect(try result(["nonce": "\"nonce\""]) == "idToken.nonce")
        #expect(try result(["auth_time": "1600000000"]) == "idToken.authenticationTime")
        #expect(try result(["auth_time": ""]) == "idToken.authenticationTime")
    }

    @Test("Sends each resource once in the authorization, code and refresh requests")
    func resources() throws {
        let resources = ["https://api.example/a?b=c", "urn:x:y", "urn:x:y"]
        let pending = try Example.pending { $0.resources = resources }
        #expect(pending.sent("resource") == ["https://api.example/a?b=c", "urn:x:y"])
        let exchange = TokenRequest.authorizationCode(try #require(try pending.code()))
        #expect(try exchange.message(client: Example.client).form("resource") == pending.sent("resource"))
        let endpoint = try Endpoint("https://as.example/token", name: "token_endpoint")
        var refresh = TokenRequest.refresh(Secret("r"), at: endpoint)
        refresh.resources = resources
        #expect(try refresh.message(client: Example.client).form("resource") == pending.sent("resource"))
        let plain = try TokenRequest.refresh(Secret("r"), at: endpoint).message(client: Example.client)
        #expect(plain.form("resource") == [])
    }

    @Test(
        "Rejects an authorization request with an invalid resource",
        arguments: ["", "/api", "api.example", "https://api.example/#x", "https://api.example/#", "https://a b/"]
    )
    func resourceForm(_ resource: String) {
        #expect(outcome { try Example.pending { $0.resources = [resource] } } == "InvalidRequestError resource")
    }

    @Test("Encodes authorization details as an array of objects with a type")
    func authorizationDetails() throws {
        let payment = AuthorizationDetail(
            type: "payment",
            members: [JSONMember(name: "amount", value: "12.50"), JSONMember(name: "to", value: ["iban": "DE00"])]
        )
        let pending = try Example.pending { $0.authorizationDetails = [payment, AuthorizationDetail(type: "x")] }
        #expect(
            pending.sent("authorization_details")
                == [#"[{"type":"payment","amount":"12.50","to":{"iban":"DE00"}},{"type":"x"}]"#]
        )
        #expect(try Example.pending().sent("authorization_details") == [])
    }

    @Test(
        "Rejects authorization details without a type or with duplicate members",
        arguments: [
            AuthorizationDetail(type: ""),
            AuthorizationDetail(type: "x", members: [JSONMember(name: "type", value: 1)]),
            AuthorizationDetail(
                type: "x",
                members: [JSONMember(name: "a", value: 1), JSONMember(name: "a", value: 2)]
            ),
        ]
    )
    func wrongAuthorizationDetails(wrong: AuthorizationDetail) {
        #expect(
            outcome { try Example.pending { $0.authorizationDetails = [wrong] } }
                == "InvalidRequestError authorization_details"
        )
    }

    @Test("Decodes the authorization details of a token response and rejects malformed ones")
    func grantedDetails() throws {
        func details(_ json: String) throws -> [JSONValue]? {
            let request = TokenRequest.refresh(
                Secret("r"),
                at: try Endpoint("https://as.example/token", name: "token_endpoint")
            )
            return
                try request.decode(
                    Example.json(),
                    body: Array(Example.response(["authorization_details": json]).utf8)
                )
                .authorizationDetails
        }
        #expect(try details(#"[{"type":"payment","amount":"1"}]"#)?.map { $0["amount"]?.string } == ["1"])
        #expect(try details("[]")?.isEmpty == true)
        #expect(try details("") == nil)
        for wrong in [#"{"type":"a"}"#, #"[{}]"#, #"[{"type":1}]"#, #"[{"type":""}]"#, #"["a"]"#, "\"a\""] {
            #expect(outcome { try details(wrong) } == "token.format")
        }
    }

    @Test("Sends display and id_token_hint unchanged, or omits them")
    func hints() throws {
        let pending = try Example.pending {
            $0.display = "popup"
            $0.idTokenHint = Secret("e30.e30.AA")
        }
        #expect(pending.sent("display") == ["popup"])
        #expect(pending.sent("id_token_hint") == ["e30.e30.AA"])
        #expect(try Example.pending().sent("display") + Example.pending().sent("id_token_hint") == [])
        #expect(!"\(pending.request)".contains("e30"))
    }
}
