// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing

@Suite("User agents and the loopback listener", .timeLimit(.minutes(1)))
struct UserAgentOriginalTests {
    /// Presents the request of `Samples` in a sheet.
    private static func present(
        _ agent: SheetUserAgent
    ) throws -> (flow: any OIDExternalUserAgentSession, outcomes: Outcomes<OIDAuthorizationResponse>) {
        let outcomes = Outcomes<OIDAuthorizationResponse>()
        let flow = OIDAuthorizationService.present(
            try Samples.authorizationRequest(),
            externalUserAgent: agent,
            callback: outcomes.take
        )
        return (flow, outcomes)
    }

    @Test(
        "Closing the sheet is reported as a cancellation by the user, with its cause",
        .original("AppAuth OIDExternalUserAgentIOS.m presentExternalUserAgentRequest:session:")
    )
    func closed() async throws {
        try await AppAuthProgram()
            .run {
                let (_, outcomes) = try Self.present(SheetUserAgent { _, _ in throw SignInError(.canceled) })
                let error = try #require(await outcomes.error())
                #expect(error.domain == OIDGeneralErrorDomain)
                #expect(error.code == OIDErrorCode.userCanceledAuthorizationFlow.rawValue)
                #expect((error.userInfo[NSUnderlyingErrorKey] as? SignInError)?.code == .canceled)
            }
    }

    @Test(
        "A sheet that cannot be shown is reported with safariOpenError",
        .original(
            "AppAuth OIDExternUserAgentIOSTests.testThatPresentExternalUserAgentRequestReturnsNoWhenMissingPresentingViewController"
        ),
        arguments: [SignInError(.invalidConfiguration), SignInError(.noBrowser)]
    )
    func notShown(failure: SignInError) async throws {
        try await AppAuthProgram()
            .run {
                let (_, outcomes) = try Self.present(SheetUserAgent { _, _ in throw failure })
                #expect(await outcomes.error()?.code == OIDErrorCode.safariOpenError.rawValue)
            }
    }

    @Test(
        "A sheet that returns another URL is reported with urlMismatch",
        .original("AppAuth OIDExternalUserAgentIOS.m presentExternalUserAgentRequest:session:")
    )
    func otherURL() async throws {
        try await AppAuthProgram()
            .run {
                let other = try Samples.url("com.example.app:/other")
                let (_, outcomes) = try Self.present(SheetUserAgent { _, _ in other })
                #expect(await outcomes.error()?.code == OIDErrorCode.urlMismatch.rawValue)
            }
    }

    @Test(
        "A second request is not presented while a sheet is on the screen, and the first goes on",
        .original("AppAuth OIDExternalUserAgentIOS.m externalUserAgentFlowInProgress")
    )
    func secondSheet() async throws {
        try await AppAuthProgram()
            .run {
                let gate = Gate()
                let redirect = try Samples.url("com.example.app:/callback?code=c&state=state-secret-2")
                let agent = SheetUserAgent { _, _ in
                    await gate.wait()
                    return redirect
                }
                let first = try Self.present(agent)
                let second = try Self.present(agent)
                #expect(await second.outcomes.error()?.code == OIDErrorCode.safariOpenError.rawValue)
                #expect(first.outcomes.count == 0)
                gate.open()
                #expect(try await first.outcomes.next().authorizationCode == "c")
                let third = try Self.present(agent)
                #expect(try await third.outcomes.next().authorizationCode == "c")
            }
    }

    @Test(
        "A user agent presents another sheet after the user has closed the first",
        .original("AppAuth OIDExternalUserAgentIOS.m cleanUp")
    )
    func sheetAfterSheet() async throws {
        try await AppAuthProgram()
            .run {
                let agent = SheetUserAgent { _, _ in throw SignInError(.canceled) }
                for _ in 0..<2 {
                    let (_, outcomes) = try Self.present(agent)
                    #expect(await outcomes.error()?.code == OIDErrorCode.userCanceledAuthorizationFlow.rawValue)
                }
            }
    }

    @Test(
        "The listener returns its loopback address",
        .original("AppAuth OIDRedirectHTTPHandler.m startHTTPListener:")
    )
    func address() throws {
        let handler = OIDRedirectHTTPHandler()
        let url = try handler.startHTTPListener()
        let port = try #require(url.port)
        #expect(["http://127.0.0.1:\(port)/", "http://[::1]:\(port)/"].contains(url.absoluteString))
        #expect(port > 0)
        handler.cancelHTTPListener()
    }

    @Test(
        "A listener on a port that is in use is a network error",
        .original("AppAuth OIDRedirectHTTPHandler.h startHTTPListener:withPort:")
    )
    func port() throws {
        let (first, second) = (OIDRedirectHTTPHandler(), OIDRedirectHTTPHandler())
        let port = UInt16(try #require(try first.startHTTPListener().port))
        let error = try #require(throws: (any Error).self) { try second.startHTTPListener(port: port) }
        #expect((error as NSError).domain == OIDGeneralErrorDomain)
        #expect((error as NSError).code == OIDErrorCode.networkError.rawValue)
        first.cancelHTTPListener()
    }

    @Test(
        "Starting the listener again cancels the flow",
        .original("AppAuth OIDRedirectHTTPHandler.m startHTTPListener:")
    )
    func restart() async throws {
        try await AppAuthProgram()
            .run {
                let handler = OIDRedirectHTTPHandler()
                let url = try handler.startHTTPListener()
                let sample = try SampleFlow(redirectURL: url.absoluteString)
                handler.currentAuthorizationFlow = sample.flow
                let other = try handler.startHTTPListener()
                let error = await sample.outcomes.error()
                #expect(error?.code == OIDErrorCode.programCanceledAuthorizationFlow.rawValue)
                #expect(handler.currentAuthorizationFlow == nil)
                #expect(try await LoopbackBrowser.get(other, "/").status == .badRequest)
                handler.cancelHTTPListener()
            }
    }

    @Test(
        "The listener passes the redirect to the flow, shows a page or redirects to another, and stops",
        .original("AppAuth OIDRedirectHTTPHandler.m HTTPConnection:didReceiveRequest:"),
        arguments: [nil, "https://app.example/welcome"]
    )
    func receives(successURL: String?) async throws {
        try await AppAuthProgram()
            .run {
                let handler = OIDRedirectHTTPHandler(successURL: successURL.flatMap { URL(string: $0) })
                let url = try handler.startHTTPListener()
                let sample = try SampleFlow(redirectURL: url.absoluteString)
                handler.currentAuthorizationFlow = sample.flow
                let response = try await LoopbackBrowser.get(url, "/?code=c&state=state-secret-2")
                #expect(response.status == (successURL == nil ? .ok : .found))
                #expect(response.headerFields[.location] == successURL)
                #expect(try await sample.outcomes.next().authorizationCode == "c")
                #expect(handler.currentAuthorizationFlow == nil)
                await #expect(throws: (any Error).self) { try await LoopbackBrowser.get(url, "/") }
            }
    }

    @Test(
        "A request that the flow does not accept gets an error page, and the listener goes on",
        .original("AppAuth OIDRedirectHTTPHandler.m HTTPConnection:didReceiveRequest:"),
        arguments: [("/?code=c&state=other", 400), ("/?error=access_denied", 400), ("/other?code=c", 404)]
    )
    func errorPage(path: String, status: Int) async throws {
        try await AppAuthProgram()
            .run {
                let handler = OIDRedirectHTTPHandler()
                let url = try handler.startHTTPListener()
                #expect(try await LoopbackBrowser.get(url, path).status.code == status)
                let sample = try SampleFlow(redirectURL: url.absoluteString)
                handler.currentAuthorizationFlow = sample.flow
                #expect(try await LoopbackBrowser.get(url, path).status.code == status)
                #expect(try await LoopbackBrowser.get(url, "/?code=c&state=state-secret-2").status == .ok)
                #expect(try await sample.outcomes.next().authorizationCode == "c")
            }
    }

    @Test(
        "Canceling the listener cancels the flow and has no effect without one",
        .original("AppAuth OIDRedirectHTTPHandler.m cancelHTTPListener")
    )
    func cancels() async throws {
        try await AppAuthProgram()
            .run {
                let handler = OIDRedirectHTTPHandler()
                handler.cancelHTTPListener()
                let sample = try SampleFlow()
                handler.currentAuthorizationFlow = sample.flow
                handler.cancelHTTPListener()
                let error = await sample.outcomes.error()
                #expect(error?.domain == OIDGeneralErrorDomain)
                #expect(error?.code == OIDErrorCode.programCanceledAuthorizationFlow.rawValue)
                #expect(handler.currentAuthorizationFlow == nil)
            }
    }

    @Test(
        "Releasing the handler cancels the flow, even if the app holds the session",
        .original("AppAuth OIDRedirectHTTPHandler.m dealloc")
    )
    func released() async throws {
        try await AppAuthProgram()
            .run {
                var handler: OIDRedirectHTTPHandler? = OIDRedirectHTTPHandler()
                let sample = try SampleFlow()
                handler?.currentAuthorizationFlow = sample.flow
                handler = nil
                let error = await sample.outcomes.error()
                #expect(error?.code == OIDErrorCode.programCanceledAuthorizationFlow.rawValue)
                #expect(try !sample.resume("com.example.app:/callback?code=c&state=STATE"))
            }
    }
}
