// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(AuthenticationServices)
internal import AuthenticationServices
internal import Foundation
internal import Tessera

/// One presentation of the system's sign-in sheet.
@available(tvOS, unavailable)
@available(watchOS, unavailable)
@MainActor
final class AuthenticationSheet: NSObject, ASWebAuthenticationPresentationContextProviding {
    /// Which redirect closes the sheet; made where it is used, since it is not `Sendable`.
    typealias Callback = @Sendable () -> ASWebAuthenticationSession.Callback

    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor
    private var session: ASWebAuthenticationSession?
    private var continuation: CheckedContinuation<URL, any Error>?

    init(anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor) {
        self.anchor = anchor
        super.init()
    }

    /// The redirect with which the sheet closed itself; a sheet that the person closed is ``SignInError`` `givenUp`.
    func present(
        _ url: URL,
        callback: @escaping Callback,
        isEphemeral: Bool
    ) async throws -> URL {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                self.continuation = continuation
                let session = ASWebAuthenticationSession(url: url, callback: callback()) { @Sendable redirect, error in
                    let isClosed = (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin
                    let failure = isClosed ? SignInError(.givenUp) : error ?? SignInError(.givenUp)
                    let result = redirect.map { Result.success($0) } ?? .failure(failure)
                    Task { @MainActor in self.finish(result) }
                }
                session.presentationContextProvider = self
                session.prefersEphemeralWebBrowserSession = isEphemeral
                self.session = session
                if Task.isCancelled {
                    self.finish(.failure(CancellationError()))
                } else if !session.start() {
                    self.finish(.failure(SignInError(.noBrowser)))
                }
            }
        } onCancel: {
            Task { @MainActor in
                self.session?.cancel()
                self.finish(.failure(CancellationError()))
            }
        }
    }

    /// The first end counts: a sheet that is cancelled, or never started, may or may not call back.
    private func finish(_ result: Result<URL, any Error>) {
        self.continuation?.resume(with: result)
        self.continuation = nil
        self.session = nil
    }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { self.anchor() }
}
#endif
