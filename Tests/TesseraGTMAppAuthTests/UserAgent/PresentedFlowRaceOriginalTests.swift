// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TesseraSupport
internal import TestTraits
internal import Testing

@Suite("Flows that end in several ways at the same time", .timeLimit(.minutes(5)))
struct PresentedFlowRaceOriginalTests {
    private static let repetitions = 1_000
    private static let redirect = "com.example.app:/callback?code=c&state=STATE"

    /// Runs `first` and `second` at the same time and returns their results.
    private static func race(
        _ first: @escaping @Sendable () throws -> Bool,
        _ second: @escaping @Sendable () throws -> Bool
    ) async throws -> [Bool] {
        async let one = Task { try first() }.value
        async let two = Task { try second() }.value
        return [try await one, try await two]
    }

    @Test(
        "A redirect and a cancellation end a flow once, and the redirect's result says which one",
        .original("AppAuth OIDExternalUserAgentSession.h resumeExternalUserAgentFlowWithURL:"),
        arguments: ["cancel", "fail", "listener"]
    )
    func redirectAndEnd(end: String) async throws {
        try await AppAuthProgram()
            .run {
                let request = try Samples.authorizationRequest()
                let handler = OIDRedirectHTTPHandler()
                for _ in 0..<Self.repetitions {
                    let sample = try SampleFlow(request)
                    handler.currentAuthorizationFlow = sample.flow
                    let isAccepted = try await Self.race {
                        try sample.resume(Self.redirect)
                    } _: {
                        switch end {
                        case "cancel": sample.flow.cancel()
                        case "fail": sample.flow.failExternalUserAgentFlowWithError(CodeFlow.offline)
                        default: handler.cancelHTTPListener()
                        }
                        return false
                    }
                    let error = await sample.outcomes.error()
                    #expect(isAccepted[0] == (error == nil))
                    await MainQueue.drain()
                    #expect(sample.outcomes.count == 1)
                    let isDismissed = isAccepted[0] || end == "cancel"
                    #expect(sample.agent.events == (isDismissed ? ["present", "dismiss"] : ["present"]))
                }
            }
    }

    @Test(
        "Only one of two equal redirects is accepted",
        .original("AppAuth OIDAuthorizationService.m OIDOAuthExceptionInvalidAuthorizationFlow")
    )
    func redirects() async throws {
        try await AppAuthProgram()
            .run {
                let request = try Samples.authorizationRequest()
                for _ in 0..<Self.repetitions {
                    let sample = try SampleFlow(request)
                    let results = try await Self.race {
                        try sample.resume(Self.redirect)
                    } _: {
                        try sample.resume(Self.redirect)
                    }
                    #expect(results.count { $0 } == 1)
                    #expect(try await sample.outcomes.next().authorizationCode == "c")
                    await MainQueue.drain()
                    #expect(sample.outcomes.count == 1)
                }
            }
    }

    @Test(
        "A sheet that returns while the app cancels ends the flow once, and the user agent can be used again",
        .original("AppAuth OIDExternalUserAgentIOS.m dismissExternalUserAgentAnimated:completion:")
    )
    func sheet() async throws {
        try await AppAuthProgram()
            .run {
                let request = try Samples.authorizationRequest()
                let redirect = try Samples.url("com.example.app:/callback?code=c&state=state-secret-2")
                let agent = SheetUserAgent { _, _ in redirect }
                for _ in 0..<Self.repetitions {
                    let outcomes = Outcomes<OIDAuthorizationResponse>()
                    let flow = OIDAuthorizationService.present(
                        request,
                        externalUserAgent: agent,
                        callback: outcomes.take
                    )
                    flow.cancel()
                    let code = await outcomes.error()?.code
                    #expect(code == nil || code == OIDErrorCode.userCanceledAuthorizationFlow.rawValue)
                    await MainQueue.drain()
                    #expect(outcomes.count == 1)
                }
            }
    }
}
