// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraSupport
internal import TesseraTesting
@testable internal import TesseraUserAgents
internal import Testing

@Suite("Presentation of the sign-in sheet", .timeLimit(.minutes(1)))
@MainActor
struct SheetPresentationInternalTests {
    @MainActor
    private final class Session: SheetSession {
        let starts: Bool
        let completion: SheetPresentation.Completion
        private(set) var isCancelled = false

        init(starts: Bool, _ completion: @escaping SheetPresentation.Completion) {
            self.starts = starts
            self.completion = completion
        }

        func start() -> Bool { self.starts }
        func cancel() { self.isCancelled = true }
    }

    private struct SystemError: Error {}

    private let clock = TestClock()
    private let redirect = URL(filePath: "/redirect")

    @Test("Returns the redirect of the first completion and ignores a second one")
    func redirectArrives() async throws {
        let url = try await SheetPresentation(clock: self.clock)
            .redirect { completion in
                completion(.success(self.redirect))
                completion(.failure(SystemError()))
                return Session(starts: true, completion)
            }
        #expect(url == self.redirect)
    }

    @Test("A session that does not start fails with the error it reports during the grace period")
    func startFailsWithError() async {
        var session: Session?
        let task = Task {
            try await SheetPresentation(clock: self.clock)
                .redirect { completion in
                    let newSession = Session(starts: false, completion)
                    session = newSession
                    return newSession
                }
        }
        await self.clock.sleeperCount(reaches: 1)
        session?.completion(.failure(SystemError()))
        await #expect(throws: SystemError.self) { try await task.value }
    }

    @Test("A session that does not start and reports nothing fails after the grace period, not before")
    func startFailsSilently() async throws {
        let task = Task {
            try await SheetPresentation(clock: self.clock).redirect { Session(starts: false, $0) }
        }
        await self.clock.sleeperCount(reaches: 1)
        self.clock.advance(by: SheetPresentation.graceTime - .milliseconds(1))
        #expect(self.clock.sleeperCount == 1)
        self.clock.advance(by: .milliseconds(1))
        await #expect { try await task.value } throws: { SignInError.Code.noBrowser ~= $0 }
    }

    @Test("Canceling the task cancels the session")
    func cancellation() async throws {
        var session: Session?
        let isShown = Gate()
        let task = Task {
            try await SheetPresentation(clock: self.clock)
                .redirect { completion in
                    let newSession = Session(starts: true, completion)
                    session = newSession
                    isShown.open()
                    return newSession
                }
        }
        await isShown.pass()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(session?.isCancelled == true)
    }
}
