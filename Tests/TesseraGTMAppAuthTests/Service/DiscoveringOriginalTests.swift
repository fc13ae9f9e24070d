// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

@Suite("Discovery as in AppAuth")
struct DiscoveringOriginalTests {
    private static let path = "/.well-known/openid-configuration"

    /// A discovery by issuer, by the issuer's well-known URL or by another URL.
    enum Kind: CaseIterable {
        case issuer, wellKnown, other

        func configuration(_ program: AppAuthProgram) async throws -> OIDServiceConfiguration {
            let issuer = ScriptedProvider.issuer
            return switch self {
            case .issuer: try await OIDAuthorizationService.discoverConfiguration(forIssuer: program.url(issuer))
            case .wellKnown:
                try await OIDAuthorizationService.discoverConfiguration(
                    forDiscoveryURL: program.url(issuer + DiscoveringOriginalTests.path)
                )
            case .other:
                try await OIDAuthorizationService.discoverConfiguration(
                    forDiscoveryURL: program.url(issuer + "/other")
                )
            }
        }
    }

    /// Sets the response to each kind of discovery.
    private static func respond(_ program: AppAuthProgram, _ script: @escaping ScriptedProvider.Script) {
        program.network.intercept(Self.path, script)
        program.network.intercept("/other", script)
    }

    @Test(
        "Fetches the same document for an issuer with and without a slash at the end",
        .original("AppAuth OIDServiceConfigurationTests.testIssuer2"),
        arguments: ["", "/"]
    )
    func url(slash: String) async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let issuer = program.url(ScriptedProvider.issuer + slash)
            let configuration = try await OIDAuthorizationService.discoverConfiguration(forIssuer: issuer)
            #expect(configuration.issuer?.absoluteString == ScriptedProvider.issuer)
            #expect(program.network.requests.map(\.url) == [ScriptedProvider.issuer + Self.path])
        }
    }

    @Test(
        "Accepts a document whose issuer ends with a slash",
        .original("AppAuth OIDAuthorizationService discoverServiceConfigurationForDiscoveryURL:completion:"),
        arguments: Kind.allCases
    )
    func slash(kind: Kind) async throws {
        let program = try AppAuthProgram()
        try await program.run {
            Self.respond(program) { _ in .json(AppAuthProgram.document(issuer: ScriptedProvider.issuer + "/")) }
            let issuer = try await kind.configuration(program).issuer
            #expect(issuer?.absoluteString == ScriptedProvider.issuer + "/")
        }
    }

    @Test(
        "Rejects a document that names another issuer",
        .original("AppAuth OIDAuthorizationService discoverServiceConfigurationForIssuer:completion:"),
        arguments: [Kind.issuer, .wellKnown],
        ["https://evil.example", "https://id.example.evil.example", "https://id.example//", "https://id.example/x"]
    )
    func otherIssuer(kind: Kind, issuer: String) async throws {
        let program = try AppAuthProgram()
        try await program.run {
            Self.respond(program) { _ in .json(AppAuthProgram.document(issuer: issuer)) }
            let caught = try await CaughtError.thrown { try await kind.configuration(program) }
            #expect(caught.kind == [OIDGeneralErrorDomain, OIDErrorCode.invalidDiscoveryDocument.rawValue])
        }
    }

    @Test(
        "Does not compare the issuer if the URL is not a well-known one",
        .original("AppAuth OIDServiceConfigurationTests.testFetcher")
    )
    func anyIssuer() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            Self.respond(program) { _ in .json(AppAuthProgram.document(issuer: "https://other.example")) }
            let issuer = try await Kind.other.configuration(program).issuer
            #expect(issuer?.host() == "other.example")
        }
    }

    @Test(
        "Calls back on the main queue with the endpoints of the document",
        .original("AppAuth OIDServiceConfigurationTests.testFetcher")
    )
    func callback() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            let results = Results<OIDServiceConfiguration>()
            let isMain = Results<Bool>()
            OIDAuthorizationService.discoverConfiguration(forIssuer: program.url(ScriptedProvider.issuer)) {
                isMain.take(DispatchQueue.getSpecific(key: key) == true, nil)
                results.take($0, $1)
            }
            let configuration = try await results.next()
            #expect(configuration.authorizationEndpoint.absoluteString == "https://id.example/authorize")
            #expect(configuration.tokenEndpoint.absoluteString == "https://id.example/token")
            #expect(configuration.discoveryDocument?.jwksURL.absoluteString == "https://id.example/keys")
            #expect(try await isMain.next())
        }
    }

    @Test(
        "Calls back with an error and no configuration",
        .original("AppAuth OIDServiceConfigurationTests.testFetcherWithNetworkError")
    )
    func failedCallback() async throws {
        let program = try AppAuthProgram()
        await program.run {
            Self.respond(program) { _ in throw TransportError(.cannotConnect) }
            let hasConfiguration = Results<Bool>()
            let results = Results<OIDServiceConfiguration>()
            OIDAuthorizationService.discoverConfiguration(
                forDiscoveryURL: program.url(ScriptedProvider.issuer + "/other")
            ) {
                hasConfiguration.take($0 != nil, nil)
                results.take($0, $1)
            }
            let failed = await failure { try await results.next() }
            #expect(failed?.domain == OIDGeneralErrorDomain)
            #expect(failed?.code == OIDErrorCode.networkError.rawValue)
            #expect(await (try? hasConfiguration.next()) == false)
        }
    }

    @Test(
        "Reports a failed connection as a network error caused by a URL error",
        .original("AppAuth OIDServiceConfigurationTests.testFetcherWithNetworkError"),
        arguments: Kind.allCases,
        [
            (TransportError.Code.timedOut, URLError.Code.timedOut),
            (TransportError.Code.nameResolution, URLError.Code.cannotFindHost),
            (TransportError.Code.cannotConnect, URLError.Code.cannotConnectToHost),
        ]
    )
    func connection(kind: Kind, codes: (failure: TransportError.Code, cause: URLError.Code)) async throws {
        let program = try AppAuthProgram()
        try await program.run {
            Self.respond(program) { _ in throw TransportError(codes.failure, host: "id.example") }
            let caught = try await CaughtError.thrown { try await kind.configuration(program) }
            #expect(caught.kind == [OIDGeneralErrorDomain, OIDErrorCode.networkError.rawValue])
            #expect(caught.cause?.kind == [NSURLErrorDomain, codes.cause.rawValue])
            #expect(caught.message.contains("https://id.example/"))
        }
    }

    @Test(
        "Reports any status except 200 as a network error caused by an HTTP error with the body",
        .original("AppAuth OIDServiceConfigurationTests.testFetcherWithErrorCode"),
        arguments: Kind.allCases,
        [500, 404, 301, 202]
    )
    func status(kind: Kind, status: Int) async throws {
        let program = try AppAuthProgram()
        try await program.run {
            Self.respond(program) { _ in
                ScriptedResponse(HTTPResponse(status: .init(code: status)), body: HTTPBody("Out of order"))
            }
            let caught = try await CaughtError.thrown { try await kind.configuration(program) }
            #expect(caught.kind == [OIDGeneralErrorDomain, OIDErrorCode.networkError.rawValue])
            #expect(caught.cause?.kind == [OIDHTTPErrorDomain, status])
            if status != 202 { #expect(caught.cause?.message == "Out of order") }
            #expect(program.network.requests.count == 1)
        }
    }

    @Test(
        "Reports a body that is not JSON as a network error caused by a deserialization error",
        .original("AppAuth OIDServiceConfigurationTests.testFetcherWithBadJSON"),
        arguments: Kind.allCases
    )
    func junk(kind: Kind) async throws {
        let program = try AppAuthProgram()
        try await program.run {
            Self.respond(program) { _ in .json("JUNK") }
            let caught = try await CaughtError.thrown { try await kind.configuration(program) }
            #expect(caught.kind == [OIDGeneralErrorDomain, OIDErrorCode.networkError.rawValue])
            #expect(
                caught.cause?.kind == [OIDGeneralErrorDomain, OIDErrorCode.jsonDeserializationError.rawValue]
            )
        }
    }

    @Test(
        "Reports an incomplete document as a network error caused by an invalid document",
        .original("AppAuth OIDAuthorizationService discoverServiceConfigurationForDiscoveryURL:completion:"),
        arguments: Kind.allCases
    )
    func incomplete(kind: Kind) async throws {
        let program = try AppAuthProgram()
        try await program.run {
            Self.respond(program) { _ in
                .json(AppAuthProgram.document().replacing("\"token_endpoint\"", with: "\"x\""))
            }
            let caught = try await CaughtError.thrown { try await kind.configuration(program) }
            #expect(caught.kind == [OIDGeneralErrorDomain, OIDErrorCode.networkError.rawValue])
            #expect(
                caught.cause?.kind == [OIDGeneralErrorDomain, OIDErrorCode.invalidDiscoveryDocument.rawValue]
            )
            #expect(caught.cause?.message.contains("token_endpoint") == true)
        }
    }

    @Test(
        "Fetches no document over http",
        .original("AppAuth OIDAuthorizationService discoverServiceConfigurationForIssuer:completion:"),
        arguments: ["http://id.example", "https://user@id.example", "id.example"]
    )
    func insecure(issuer: String) async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let url = program.url(issuer)
            let byIssuer = try await CaughtError.thrown {
                try await OIDAuthorizationService.discoverConfiguration(forIssuer: url)
            }
            let byURL = try await CaughtError.thrown {
                try await OIDAuthorizationService.discoverConfiguration(forDiscoveryURL: url)
            }
            let expected: [AnyHashable] = [OIDGeneralErrorDomain, OIDErrorCode.invalidDiscoveryDocument.rawValue]
            #expect(byIssuer.kind == expected)
            #expect(byURL.kind == expected)
            #expect(program.network.requests.isEmpty)
        }
    }

    @Test(
        "Exchanges codes at a provider whose document has unusable optional endpoints and strings instead of lists",
        .original("AppAuth OIDServiceDiscoveryTests.testNoErrorWhenNoMissingFields")
    )
    func lenient() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let document = AppAuthProgram.document()
                .replacing("[\"ES256\"]", with: "\"ES256\"").replacing("[\"code\"]", with: "\"code\"")
                .replacing("{\"issuer\"", with: "{\"end_session_endpoint\":\"abc\",\"issuer\"")
                .replacing("{\"end", with: "{\"registration_endpoint\":\"http://id.example/register\",\"end")
            Self.respond(program) { _ in .json(document) }
            let state = try await program.state()
            #expect(state.isAuthorized)
            #expect(state.lastTokenResponse?.idToken != nil)
        }
    }
}
