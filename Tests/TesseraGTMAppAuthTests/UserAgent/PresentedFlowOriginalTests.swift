// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing

@Suite("Presentation and end of a flow", .timeLimit(.minutes(1)))
struct PresentedFlowOriginalTests {
    @Test(
        "A request is presented once, before the call returns, with the returned session",
        .original("AppAuth OIDAuthorizationService.m presentAuthorizationWithExternalUserAgent:callback:")
    )
    func presents() async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow()
                #expect(sample.agent.events == ["present"])
                #expect(sample.agent.page == sample.request.authorizationRequestURL())
                #expect(sample.agent.session == ObjectIdentifier(sample.flow))
                sample.flow.cancel()
            }
    }

    @Test(
        "A page that cannot be presented is reported with safariOpenError",
        .original("AppAuth OIDExternUserAgentIOSTests.testThatPresentExternalUserAgentRequestReturnsNo")
    )
    func notPresented() async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow(agent: RecordingAgent(shows: false))
                let error = await sample.outcomes.error()
                #expect(error?.domain == OIDGeneralErrorDomain)
                #expect(error?.code == OIDErrorCode.safariOpenError.rawValue)
                #expect(sample.agent.events == ["present"])
                #expect(try !sample.resume("com.example.app:/callback?code=c&state=STATE"))
            }
    }

    @Test(
        "A page that cannot be presented is reported on the main queue after the call returns",
        .original("AppAuth OIDAuthorizationService.m presentAuthorizationWithExternalUserAgent:callback:")
    )
    func reportsAsynchronously() async throws {
        try await AppAuthProgram()
            .run {
                let request = try Samples.authorizationRequest()
                let events = await MainActor.run {
                    let events = AsyncStream.makeStream(of: String.self)
                    let flow = OIDAuthorizationService.present(
                        request,
                        externalUserAgent: RecordingAgent(shows: false)
                    ) { _, _ in
                        events.continuation.yield(MainQueue.isCurrent ? "main" : "other")
                        events.continuation.finish()
                    }
                    withExtendedLifetime(flow) { _ = events.continuation.yield("returned") }
                    return events.stream
                }
                #expect(await events.reduce(into: []) { $0.append($1) } == ["returned", "main"])
            }
    }

    @Test(
        "A redirect dismisses the page on the main queue and then calls back with the response",
        .original("AppAuth OIDAuthorizationService.m resumeExternalUserAgentFlowWithURL:")
    )
    func redirect() async throws {
        try await AppAuthProgram()
            .run {
                let (request, agent) = (try Samples.authorizationRequest(), RecordingAgent())
                let calls = Outcomes<[String]>()
                let outcomes = Outcomes<OIDAuthorizationResponse>()
                let flow = OIDAuthorizationService.present(request, externalUserAgent: agent) { response, error in
                    calls.take(agent.events, nil)
                    outcomes.take(response, error)
                }
                let redirect = try Samples.url("com.example.app:/callback?code=c&state=state-secret-2&more=1")
                #expect(flow.resumeExternalUserAgentFlow(with: redirect))
                #expect(try await calls.next() == ["present", "dismiss"])
                #expect(agent.wasDismissedOnMainQueue)
                let response = try await outcomes.next()
                #expect(response.request === request)
                #expect(response.authorizationCode == "c")
                #expect(response.state == "state-secret-2")
                #expect(response.additionalParameters?["more"] as? String == "1")
            }
    }

    @Test(
        "A redirect to a flow that has ended returns false",
        .original("AppAuth OIDAuthorizationService.m OIDOAuthExceptionInvalidAuthorizationFlow"),
        arguments: ["redirect", "cancel", "fail"]
    )
    func ended(end: String) async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow()
                switch end {
                case "redirect": #expect(try sample.resume("com.example.app:/callback?code=c&state=STATE"))
                case "cancel": sample.flow.cancel()
                default: sample.flow.failExternalUserAgentFlowWithError(CodeFlow.offline)
                }
                #expect(try !sample.resume("com.example.app:/callback?code=c&state=STATE"))
                _ = await sample.outcomes.error()
                #expect(try !sample.resume("com.example.app:/callback?code=c&state=STATE"))
                await MainQueue.drain()
                #expect(sample.outcomes.count == 1)
            }
    }

    @Test(
        "A cancellation by the app dismisses the page and is reported like one by the user",
        .original("AppAuth OIDAuthorizationService.m cancelWithCompletion:")
    )
    func cancels() async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow()
                sample.flow.cancel()
                let error = await sample.outcomes.error()
                #expect(error?.domain == OIDGeneralErrorDomain)
                #expect(error?.code == OIDErrorCode.userCanceledAuthorizationFlow.rawValue)
                #expect(sample.agent.events == ["present", "dismiss"])
            }
    }

    @Test(
        "The completion of a cancellation is called after the callback",
        .original("AppAuth OIDAuthorizationService.m cancelWithCompletion:")
    )
    func completion() async throws {
        try await AppAuthProgram()
            .run {
                let events = AsyncStream.makeStream(of: String.self)
                let flow = OIDAuthorizationService.present(
                    try Samples.authorizationRequest(),
                    externalUserAgent: RecordingAgent()
                ) { _, _ in events.continuation.yield("callback") }
                flow.cancel {
                    events.continuation.yield("completion")
                    events.continuation.finish()
                }
                #expect(await events.stream.reduce(into: []) { $0.append($1) } == ["callback", "completion"])
            }
    }

    @Test(
        "The completion of a cancellation is called even if the flow has ended",
        .original("AppAuth OIDExternalUserAgentSession.h cancelWithCompletion:")
    )
    func completionAfterEnd() async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow()
                sample.flow.cancel()
                _ = await sample.outcomes.error()
                await withCheckedContinuation { continuation in sample.flow.cancel { continuation.resume() } }
                #expect(sample.outcomes.count == 1)
            }
    }

    @Test(
        "A second cancellation does not call back again",
        .original("AppAuth OIDExternalUserAgentSession.h cancel")
    )
    func cancelsOnce() async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow()
                sample.flow.cancel()
                sample.flow.cancel()
                _ = await sample.outcomes.error()
                sample.flow.cancel()
                await MainQueue.drain()
                #expect(sample.outcomes.count == 1)
                #expect(sample.agent.events == ["present", "dismiss"])
            }
    }

    @Test(
        "An error that the user agent reports is passed on unchanged, once, and does not dismiss the page",
        .original("AppAuth OIDAuthorizationService.m failExternalUserAgentFlowWithError:")
    )
    func fails() async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow()
                let error = NSError(domain: "browser", code: 7)
                sample.flow.failExternalUserAgentFlowWithError(error)
                sample.flow.failExternalUserAgentFlowWithError(CodeFlow.offline)
                #expect(await sample.outcomes.error() === error)
                await MainQueue.drain()
                #expect(sample.outcomes.count == 1)
                #expect(sample.agent.events == ["present"])
            }
    }

    @Test(
        "A flow that is released before its end reports a cancellation by the app",
        .original("AppAuth OIDAuthorizationService.m OIDAuthorizationSession")
    )
    func released() async throws {
        try await AppAuthProgram()
            .run {
                let outcomes = Outcomes<OIDAuthorizationResponse>()
                _ = OIDAuthorizationService.present(
                    try Samples.authorizationRequest(),
                    externalUserAgent: RecordingAgent(),
                    callback: outcomes.take
                )
                let error = await outcomes.error()
                #expect(error?.code == OIDErrorCode.programCanceledAuthorizationFlow.rawValue)
            }
    }

    @Test(
        "A request without a state is not presented",
        .original("AppAuth OIDAuthorizationService.m resumeExternalUserAgentFlowWithURL:")
    )
    func noState() async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow(try SampleFlow.request(state: nil))
                #expect(await sample.outcomes.error()?.domain == OIDGeneralErrorDomain)
                #expect(sample.agent.events.isEmpty)
                #expect(try !sample.resume("com.example.app:/callback?code=c"))
            }
    }

    @Test(
        "A request whose redirect URL is missing or not safe is not presented",
        .original("AppAuth OIDAuthorizationRequest.h redirectURL"),
        arguments: [
            nil, "http://www.example.com/callback", "myapp://callback", "https://user@app.example/callback",
            "com.example.app:/callback#top",
        ]
    )
    func redirectURL(text: String?) async throws {
        try await AppAuthProgram()
            .run {
                let sample = try SampleFlow(redirectURL: text)
                #expect(await sample.outcomes.error()?.domain == OIDGeneralErrorDomain)
                #expect(sample.agent.events.isEmpty)
            }
    }
}
