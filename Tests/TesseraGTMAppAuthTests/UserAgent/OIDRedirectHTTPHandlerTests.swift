// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraDefaults
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import Testing

@Suite("OIDRedirectHTTPHandler")
struct OIDRedirectHTTPHandlerTests {
    private static func get(_ url: URL, _ path: String) async throws -> (HTTPResponse, String) {
        let authority = "\(url.host() ?? ""):\(url.port ?? 0)"
        let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: path)
        let transport = PlatformDefaults.transport(insecure: .loopbackHTTP)
        let (response, body) = try await transport.send(request, body: nil)
        return (response, String(decoding: try await body.collect(upTo: 1 << 20), as: UTF8.self))
    }

    @Test("Receives the redirect once, shows a page and ignores invalid requests")
    func receives() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let handler = OIDRedirectHTTPHandler()
            let redirectURL = try handler.startHTTPListener()
            let request = OIDAuthorizationRequest(
                configuration: try await program.configuration(),
                clientId: "client",
                scopes: ["openid"],
                redirectURL: redirectURL,
                responseType: OIDResponseTypeCode,
                additionalParameters: nil
            )
            let responses = Results<OIDAuthorizationResponse>()
            let flow = OIDAuthorizationService.present(
                request,
                externalUserAgent: ShownPages(),
                callback: responses.take
            )
            handler.currentAuthorizationFlow = flow
            let state = request.state ?? ""
            #expect(try await Self.get(redirectURL, "/?error=access_denied").0.status == .badRequest)
            #expect(try await Self.get(redirectURL, "/other?code=c&state=\(state)").0.status == .notFound)
            let (response, page) = try await Self.get(redirectURL, "/?code=c&state=\(state)")
            #expect(response.status == .ok)
            #expect(page.contains("Return to the program"))
            #expect(!page.contains(state))
            #expect(try await responses.next().authorizationCode == "c")
            await #expect(throws: (any Error).self) { try await Self.get(redirectURL, "/?code=c&state=\(state)") }
        }
    }

    @Test("Redirects to the success URL and cancels the flow with the listener")
    func goesOn() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let handler = OIDRedirectHTTPHandler(successURL: program.url("https://program.example/welcome"))
            let request = OIDAuthorizationRequest(
                configuration: try await program.configuration(),
                clientId: "client",
                scopes: ["openid"],
                redirectURL: try handler.startHTTPListener(),
                responseType: OIDResponseTypeCode,
                additionalParameters: nil
            )
            let responses = Results<OIDAuthorizationResponse>()
            func present() -> any OIDExternalUserAgentSession {
                OIDAuthorizationService.present(request, externalUserAgent: ShownPages(), callback: responses.take)
            }
            handler.currentAuthorizationFlow = present()
            let redirectURL = try #require(request.redirectURL)
            let (response, _) = try await Self.get(redirectURL, "/?code=c&state=\(request.state ?? "")")
            #expect(response.status == .found)
            #expect(response.headerFields[.location] == "https://program.example/welcome")
            _ = try await responses.next()
            _ = try handler.startHTTPListener()
            handler.currentAuthorizationFlow = present()
            handler.cancelHTTPListener()
            let stopped = await failure { try await responses.next() }
            #expect(stopped?.code == OIDErrorCode.programCanceledAuthorizationFlow.rawValue)
        }
    }
}
