// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport

/// The wait for one redirect, and who shows the page meanwhile.
final class PresentedFlow<Response: Sendable>: OIDExternalUserAgentSession {
    /// What a URL is taken for.
    enum Verdict: Sendable {
        case notOurs
        /// The answer, of which more may be to check.
        case answer(@Sendable () async throws -> Response)

        /// The same with something made of the answer.
        func map<Other>(
            _ transform: @escaping @Sendable (Response) async throws -> Other
        ) -> PresentedFlow<Other>.Verdict {
            switch self {
            case .notOurs: .notOurs
            case .answer(let answer): .answer { try await transform(try await answer()) }
            }
        }
    }

    private struct State {
        /// Nil before the page is shown, and when the wait is over.
        var userAgent: (any OIDExternalUserAgent)?
        /// Whether the answer has come: what follows is none, a page that is loaded again for example.
        var isAnswered = false
    }

    private let judge: @Sendable (_ redirect: String) throws -> Verdict
    private let callback: Callback<Result<Response, any Error>>
    private let state = Mutex(State())
    private let map: @Sendable (any Error) -> NSError

    /// A wait.
    ///
    /// - Parameters:
    ///   - callback: gets the answer or the error.
    ///   - map: makes AppAuth's error of another.
    ///   - judge: looks at a URL; what it throws ends the wait.
    init(
        _ callback: Callback<Result<Response, any Error>>,
        mapping map: @escaping @Sendable (any Error) -> NSError,
        judge: @escaping @Sendable (_ redirect: String) throws -> Verdict
    ) {
        self.callback = callback
        self.map = map
        self.judge = judge
    }

    /// Whoever let go of the wait hears that it is over.
    deinit {
        guard self.state.withLock({ $0.userAgent != nil }) else { return }
        self.callback(.failure(NSError.appAuth(.programCanceledAuthorizationFlow, "Nobody held the flow.")))
    }

    /// Shows the page.
    func present(_ request: some OIDExternalUserAgentRequest, _ userAgent: any OIDExternalUserAgent) {
        self.state.withLock { $0.userAgent = userAgent }
        guard userAgent.present(request, session: self) else {
            return self.end(.failure(NSError.appAuth(.browserOpenError, "The page could not be shown.")))
        }
    }

    func cancel() { self.cancel(completion: nil) }

    func cancel(completion: (@Sendable () -> Void)?) {
        let error = NSError.appAuth(.programCanceledAuthorizationFlow, "The program cancelled the flow.")
        self.end(.failure(error), completion)
    }

    func resumeExternalUserAgentFlow(with url: URL) -> Bool {
        let verdict = self.state.withLock { state -> Result<Verdict, any Error>? in
            guard state.userAgent != nil, !state.isAnswered else { return nil }
            let verdict = Result { try self.judge(url.absoluteString) }
            if case .success(.notOurs) = verdict { return nil }
            state.isAnswered = true
            return verdict
        }
        switch verdict {
        case nil, .success(.notOurs): return false
        case .failure(let error): self.end(.failure(self.map(error)))
        case .success(.answer(let answer)):
            Task {
                do {
                    self.end(.success(try await answer()))
                } catch {
                    self.end(.failure(self.map(error)))
                }
            }
        }
        return true
    }

    func failExternalUserAgentFlowWithError(_ error: any Error) { self.end(.failure(error)) }

    /// The first end counts; the page goes before the callback comes.
    private func end(_ result: Result<Response, any Error>, _ completion: (@Sendable () -> Void)? = nil) {
        guard let userAgent = self.state.withLock({ $0.userAgent.take() }) else {
            completion?()
            return
        }
        let callback = self.callback
        let isGone = OneAnswer<Void>(otherwise: ()) {
            callback(result)
            completion?()
        }
        userAgent.dismiss(animated: true) { isGone(()) }
    }
}
