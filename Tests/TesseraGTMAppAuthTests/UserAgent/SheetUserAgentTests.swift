// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraTesting
internal import Testing

@Suite("SheetUserAgent")
struct SheetUserAgentTests {
    private static func request(
        _ program: AppAuthProgram,
        redirectURI: String = "com.example.app:/callback"
    ) async throws -> OIDAuthorizationRequest {
        OIDAuthorizationRequest(
            configuration: try await program.configuration(),
            clientId: ScriptedProvider.clientID,
            scopes: ["openid", "email"],
            redirectURL: program.url(redirectURI),
            responseType: OIDResponseTypeCode,
            additionalParameters: nil
        )
    }

    /// Returns the AppAuth error code with which a flow in this sheet ends.
    private static func code(over sheet: @escaping SheetUserAgent.Sheet) async throws -> Int? {
        let program = try AppAuthProgram()
        return try await program.run {
            let ends = Results<OIDAuthorizationResponse>()
            let flow = OIDAuthorizationService.present(
                try await Self.request(program),
                externalUserAgent: SheetUserAgent(sheet),
                callback: ends.take
            )
            let ending = await failure { try await ends.next() }
            #expect(ending?.domain == OIDGeneralErrorDomain)
            withExtendedLifetime(flow) {}
            return ending?.code
        }
    }

    @Test("Returns the response from the sheet without a redirect from the app")
    func consent() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let (request, ends) = (try await Self.request(program), Results<OIDAuthorizationResponse>())
            let agent = SheetUserAgent { page, _ in
                #expect(page == request.authorizationRequestURL())
                return program.url(try program.network.consent(to: page.absoluteString))
            }
            let flow = OIDAuthorizationService.present(request, externalUserAgent: agent, callback: ends.take)
            let response = try await ends.next()
            #expect(response.authorizationCode != nil)
            #expect(response.state == request.state)
            #expect(!flow.resumeExternalUserAgentFlow(with: program.url("com.example.app:/callback?code=c")))
        }
    }

    @Test("Reports a closed sheet as a user cancellation")
    func closed() async throws {
        let code = try await Self.code { _, _ in throw SignInError(.canceled) }
        #expect(code == OIDErrorCode.userCanceledAuthorizationFlow.rawValue)
    }

    @Test(
        "Reports a sheet that cannot be shown with safariOpenError",
        arguments: [SignInError(.noBrowser), CocoaError(.featureUnsupported)] as [any Error]
    )
    func unusable(error: any Error) async throws {
        #expect(try await Self.code { _, _ in throw error } == OIDErrorCode.safariOpenError.rawValue)
    }

    @Test("Ends the flow if the sheet returns another redirect")
    func forged() async throws {
        let program = try AppAuthProgram()
        let code = try await Self.code { _, _ in program.url("com.example.app:/callback?code=c&state=other") }
        #expect(code == OIDErrorCode.urlMismatch.rawValue)
    }

    @Test("Dismisses the sheet when the app cancels")
    func canceled() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let ends = Results<OIDAuthorizationResponse>()
            let (shown, gone) = (AsyncStream.makeStream(of: String.self), AsyncStream.makeStream(of: Never.self))
            let agent = SheetUserAgent { _, redirectURI in
                shown.continuation.yield(redirectURI)
                // The loop ends when the task is canceled.
                for await _ in gone.stream {}
                throw CancellationError()
            }
            let request = try await Self.request(program, redirectURI: "https://app.example/callback")
            let flow = OIDAuthorizationService.present(request, externalUserAgent: agent, callback: ends.take)
            #expect(await shown.stream.first { _ in true } == "https://app.example/callback")
            flow.cancel()
            #expect(
                await failure { try await ends.next() }?.code
                    == OIDErrorCode.userCanceledAuthorizationFlow.rawValue
            )
        }
    }
}
