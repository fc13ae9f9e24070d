// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera

/// A page that the system shows until a redirect arrives or the user closes it: `ASWebAuthenticationSession`.
@MainActor
protocol SheetSession: AnyObject {
    /// Shows the page; false if the system cannot.
    func start() -> Bool
    func cancel()
}

/// One presentation of the sign-in sheet, from its start to its first result.
@MainActor
final class SheetPresentation {
    typealias Completion = @Sendable (Result<URL, any Error>) -> Void

    /// How long a session that did not start may take to say why.
    static let graceTime = Duration.milliseconds(500)

    private let clock: any Clock<Duration>
    private var session: (any SheetSession)?
    private var continuation: CheckedContinuation<URL, any Error>?

    init(clock: any Clock<Duration>) { self.clock = clock }

    /// Shows the page and returns the redirect that closed it.
    ///
    /// - Parameter makeSession: Creates the session. It may call its completion handler on any thread, and may or may not
    ///   call it after `start()` has returned false or after it has been cancelled.
    /// - Returns: The redirect, not validated.
    /// - Throws: The session's error; ``SignInError`` `noBrowser` for a session that does not start and does not say why
    ///   within ``graceTime``; `CancellationError`.
    func redirect(_ makeSession: (@escaping Completion) -> any SheetSession) async throws -> URL {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                self.continuation = continuation
                let session = makeSession { result in Task { @MainActor in self.finish(result) } }
                self.session = session
                if Task.isCancelled {
                    self.finish(.failure(CancellationError()))
                } else if !session.start() {
                    self.finishAfterGraceTime()
                }
            }
        } onCancel: {
            Task { @MainActor in
                self.session?.cancel()
                self.finish(.failure(CancellationError()))
            }
        }
    }

    private func finishAfterGraceTime() {
        Task {
            try? await self.clock.sleep(for: Self.graceTime)
            self.finish(
                .failure(SignInError(.noBrowser, detail: "the system did not show the sign-in page. Try again"))
            )
        }
    }

    /// The first result wins.
    private func finish(_ result: Result<URL, any Error>) {
        self.continuation?.resume(with: result)
        self.continuation = nil
        self.session = nil
    }
}
