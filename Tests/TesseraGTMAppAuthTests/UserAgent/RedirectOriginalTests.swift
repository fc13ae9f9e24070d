// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing

@Suite("Redirects of a flow", .timeLimit(.minutes(1)))
struct RedirectOriginalTests {
    @Test(
        "A redirect to another address is not accepted, and the flow keeps waiting",
        .original("AppAuth OIDAuthorizationService.m shouldHandleURL:"),
        arguments: [
            "http://app.example:8443/cb", "https://other.example:8443/cb", "https://app.example:9443/cb",
            "https://app.example:8443/other",
        ]
    )
    func otherAddress(address: String) async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow(redirectURL: "https://app.example:8443/cb")
                #expect(try !sample.resume("\(address)?code=c&state=STATE"))
                #expect(try sample.resume("https://app.example:8443/cb?code=d&state=STATE"))
                #expect(try await sample.outcomes.next().authorizationCode == "d")
            }
    }

    @Test(
        "The scheme of a redirect is compared without regard to case",
        .original("AppAuth OIDAuthorizationService.m URL:matchesRedirectionURL:")
    )
    func scheme() async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow()
                #expect(try sample.resume("COM.EXAMPLE.app:/callback?code=c&state=STATE"))
                #expect(try await sample.outcomes.next().authorizationCode == "c")
            }
    }

    @Test(
        "An empty path and a default port are the same as / and no port",
        .original("AppAuth OIDAuthorizationService.m URL:matchesRedirectionURL:"),
        arguments: [
            ("https://a.example", "https://a.example/"), ("https://a.example/", "https://a.example"),
            ("https://a.example/cb", "https://a.example:443/cb"),
        ]
    )
    func equalAddress(expected: String, actual: String) async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow(redirectURL: expected)
                #expect(try sample.resume("\(actual)?code=c&state=STATE"))
                #expect(try await sample.outcomes.next().authorizationCode == "c")
            }
    }

    @Test(
        "The path is compared exactly, and the redirect URL's own query must be returned",
        .original("AppAuth OIDAuthorizationService.m URL:matchesRedirectionURL:"),
        arguments: [
            ("com.example.app:/cb", "com.example.app:/cb/?"), ("com.example.app:/cb", "com.example.app:/x/../cb?"),
            ("com.example.app:/cb", "com.example.app:/c%62?"), ("com.example.app:/cb?a=b", "com.example.app:/cb?"),
        ]
    )
    func exactAddress(expected: String, actual: String) async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow(redirectURL: expected)
                #expect(try !sample.resume("\(actual)code=c&state=STATE"))
                let separator = expected.contains("?") ? "&" : "?"
                #expect(try sample.resume("\(expected)\(separator)code=d&state=STATE"))
                #expect(try await sample.outcomes.next().authorizationCode == "d")
            }
    }

    @Test(
        "A redirect with another state, or an error without a state, is ignored",
        .original("AppAuth OIDAuthorizationService.m resumeExternalUserAgentFlowWithURL:"),
        arguments: ["code=c&state=other", "code=c", "error=access_denied", "error=access_denied&state=other"]
    )
    func otherState(query: String) async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow()
                #expect(try !sample.resume("com.example.app:/callback?\(query)"))
                #expect(try sample.resume("com.example.app:/callback?code=d&state=STATE"))
                #expect(try await sample.outcomes.next().authorizationCode == "d")
            }
    }

    @Test(
        "A denied request is reported with the code and the description of the error",
        .original("AppAuth OIDAuthorizationService.m resumeExternalUserAgentFlowWithURL:")
    )
    func denied() async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow()
                #expect(
                    try sample.resume("com.example.app:/callback?error=access_denied&error_description=d&state=STATE")
                )
                let error = await sample.outcomes.error()
                #expect(error?.domain == OIDOAuthAuthorizationErrorDomain)
                #expect(error?.code == OIDErrorCodeOAuthAuthorization.accessDenied.rawValue)
                #expect(error?.localizedDescription == "access_denied: d")
            }
    }

    @Test(
        "An error of the server is reported in the domain of the authorization endpoint",
        .original("AppAuth OIDError.h OIDErrorCodeOAuthAuthorization"),
        arguments: [("server_error", -7), ("temporarily_unavailable", -8), ("invalid_scope", -6), ("custom", -0xF000)]
    )
    func serverError(error: String, code: Int) async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow()
                #expect(try sample.resume("com.example.app:/callback?error=\(error)&state=STATE"))
                let result = await sample.outcomes.error()
                #expect(result?.domain == OIDOAuthAuthorizationErrorDomain)
                #expect(result?.code == code)
            }
    }

    @Test(
        "The user info of an error has the parameters of the redirect, except secrets",
        .original("AppAuth OIDAuthorizationService.m resumeExternalUserAgentFlowWithURL:")
    )
    func errorParameters() async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow()
                let query = "error=access_denied&error_subcode=cancel&code=code-secret&state=STATE"
                #expect(try sample.resume("com.example.app:/callback?\(query)"))
                let error = try #require(await sample.outcomes.error())
                let response = try #require(error.userInfo[OIDOAuthErrorResponseErrorKey] as? [String: Any])
                #expect(response as? [String: String] == ["error": "access_denied", "error_subcode": "cancel"])
                #expect(!"\(error) \(error.userInfo)".contains("secret"))
            }
    }

    @Test(
        "A redirect that names another issuer is an error",
        .original("AppAuth OIDAuthorizationService.m resumeExternalUserAgentFlowWithURL:")
    )
    func otherIssuer() async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow()
                #expect(
                    try sample.resume("com.example.app:/callback?code=c&state=STATE&iss=https%3A%2F%2Fevil.example")
                )
                #expect(await sample.outcomes.error()?.domain == OIDGeneralErrorDomain)
            }
    }

    @Test(
        "The issuer in a redirect is ignored if the configuration has none",
        .original("AppAuth OIDAuthorizationService.m resumeExternalUserAgentFlowWithURL:")
    )
    func unknownIssuer() async throws {
        try await AppAuthProgram()
            .run {
                let configuration = OIDServiceConfiguration(
                    authorizationEndpoint: try Samples.url("https://server.example/realms/a/authorize"),
                    tokenEndpoint: try Samples.url("https://server.example/realms/a/token")
                )
                let sample = try SampleFlow(try SampleFlow.request(configuration: configuration))
                let issuer = "https%3A%2F%2Fserver.example%2Frealms%2Fa"
                #expect(try sample.resume("com.example.app:/callback?iss=\(issuer)&code=c&state=STATE&more=%20#"))
                let response = try await sample.outcomes.next()
                #expect(response.authorizationCode == "c")
                #expect(response.additionalParameters?["iss"] as? String == "https://server.example/realms/a")
                #expect(response.additionalParameters?["more"] as? String == " ")
            }
    }

    @Test(
        "A redirect without a code, or with tokens that were not requested, is an error",
        .original("AppAuth OIDAuthorizationService.m resumeExternalUserAgentFlowWithURL:"),
        arguments: ["", "&code=c&access_token=t", "&code=c&id_token=t"]
    )
    func noCode(parameters: String) async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow()
                #expect(try sample.resume("com.example.app:/callback?state=STATE\(parameters)"))
                #expect(await sample.outcomes.error()?.domain == OIDGeneralErrorDomain)
            }
    }

    @Test(
        "A redirect that repeats a parameter is ignored",
        .original("AppAuth OIDURLQueryComponent.m dictionaryValue")
    )
    func repeatedParameter() async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow()
                #expect(try !sample.resume("com.example.app:/callback?code=a&code=b&state=STATE"))
                #expect(try sample.resume("com.example.app:/callback?code=c&state=STATE"))
                #expect(try await sample.outcomes.next().authorizationCode == "c")
            }
    }

    @Test(
        "A parameter without a value is empty",
        .original("AppAuth OIDURLQueryComponent.m initWithURL:")
    )
    func parameterWithoutValue() async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow()
                #expect(try sample.resume("com.example.app:/callback?foo&code=c&state=STATE"))
                #expect(try await sample.outcomes.next().additionalParameters?["foo"] as? String == "")
            }
    }

    @Test(
        "Parameters are decoded, with a plus sign as a space",
        .original("AppAuth OIDURLQueryComponentTests.test_formurlencoded_decoding"),
        arguments: ["+%25%26%2B%C2%A3%E2%82%AC", "%20%25%26%2B%C2%A3%E2%82%AC"]
    )
    func decoding(text: String) async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow()
                #expect(try sample.resume("com.example.app:/callback?code=c&state=STATE&text=\(text)#"))
                #expect(try await sample.outcomes.next().additionalParameters?["text"] as? String == " %&+£€")
            }
    }

    @Test(
        "A hybrid response in the query is not read",
        .original("AppAuth OIDAuthorizationService.m resumeExternalUserAgentFlowWithURL:")
    )
    func hybridInQuery() async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow(try SampleFlow.request(responseType: "code id_token"))
                #expect(try !sample.resume("com.example.app:/callback?code=c&id_token=t&state=STATE"))
                sample.flow.cancel()
            }
    }
}
