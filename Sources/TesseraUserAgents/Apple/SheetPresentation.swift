// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// A page that the system shows until a redirect arrives or the user closes it, such as `ASWebAuthenticationSession`.
@MainActor
protocol SheetSession: AnyObject {
    /// Shows the page, or returns false if the system cannot show it.
    func start() -> Bool
    func cancel()
}

/// A one-time presentation of the sign-in sheet.
@MainActor
final class SheetPresentation {
    typealias Completion = @Sendable (Result<URL, any Error>) -> Void

    /// The maximum time that a session that did not start has to report an error.
    static let graceTime = Duration.milliseconds(500)

    private let clock: any Clock<Duration>
    private var session: (any SheetSession)?
    private var continuation: CheckedContinuation<URL, any Error>?

    init(clock: any Clock<Duration>) { self.clock = clock }

    /// Shows the page and returns the redirect that closed it.
    ///
    /// - Parameter makeSession: Creates the session. The session can call its completion handler on any thread. After
    ///   `start()` has returned false or the session has been canceled, it may call the handler but does not have to.
    /// - Returns: The redirect, which has not been validated.
    /// - Throws: Any error that the session reports, `CancellationError`, or ``SignInError`` `noBrowser` if the session
    ///   does not start and does not report an error within ``graceTime``.
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

    /// Finishes with the first result and ignores any later ones.
    private func finish(_ result: Result<URL, any Error>) {
        self.continuation?.resume(with: result)
        self.continuation = nil
        self.session = nil
    }
}

/// Receives the single redirect from a page that the redirect closes, such as the system's sign-in sheet.
final class SheetReceiver: Sendable {
    private struct State {
        var page: URL?
        /// The reason that the redirect does not belong to the sign-in.
        var mismatch: String?
    }

    private let show: @Sendable (_ page: URL) async throws -> URL
    private let state = Mutex(State())

    /// Creates a receiver.
    ///
    /// - Parameter show: Shows the page and returns its redirect. If its task is canceled, it dismisses the page.
    init(_ show: @escaping @Sendable (_ page: URL) async throws -> URL) { self.show = show }

    /// Returns a receiver for a sign-in.
    func receiver(redirectURI: String) -> RedirectReceiver {
        RedirectReceiver(
            redirectURI: redirectURI,
            present: { page in self.state.withLock { $0.page = page } },
            nextRedirect: { try await self.nextRedirect() },
            close: {}
        )
    }

    /// Shows the page and waits for its redirect.
    ///
    /// The page is dismissed when the wait ends.
    private func nextRedirect() async throws -> Redirect? {
        let (page, mismatch) = self.state.withLock { ($0.page.take(), $0.mismatch) }
        guard let page else { throw SignInError(.canceled, detail: mismatch) }
        return Redirect(.redirect(try await self.show(page).absoluteString)) { reply in
            guard case .unrelated(let reason) = reply else { return }
            self.state.withLock { $0.mismatch = reason }
        }
    }
}

/// The kind of redirect that closes the sign-in sheet.
enum SheetCallback: Sendable, Hashable {
    case customScheme(String)
    case https(host: String, path: String)

    /// Creates the callback for a redirect URI.
    ///
    /// - Parameters:
    ///   - redirectURI: The redirect URI for the sign-in.
    ///   - supportsHTTPS: Whether this version of the system can close the sheet on an `https` redirect.
    /// - Throws: ``SignInError`` `invalidConfiguration` if the redirect URI cannot close the sheet.
    init(redirectURI: String, supportsHTTPS: Bool) throws {
        guard let url = URL(string: redirectURI), let scheme = url.scheme?.lowercased() else {
            throw Self.invalid("the redirect URI is not a URI")
        }
        guard scheme == "https" else {
            // RFC 8252, section 7.1: a private scheme is based on a reversed domain name.
            guard scheme.contains(".") else { throw Self.invalid("the redirect URI's scheme has no dot") }
            self = .customScheme(scheme)
            return
        }
        guard let host = url.host(), !host.isEmpty else { throw Self.invalid("the redirect URI has no host") }
        guard supportsHTTPS else {
            throw Self.invalid(
                """
                an https redirect URI needs iOS 17.4, macOS 14.4 or visionOS 1.1. Use a redirect URI with a private \
                scheme on earlier versions
                """
            )
        }
        self = .https(host: host, path: url.path())
    }

    private static func invalid(_ detail: String) -> SignInError { SignInError(.invalidConfiguration, detail: detail) }
}

extension SignInError {
    /// Creates the error for a failure in the `ASWebAuthenticationSessionError` domain, or returns nil for an unknown
    /// code.
    ///
    /// The system reports "canceled" both if the user closes the page and if it cannot show the page. It gives a reason
    /// only in the second case.
    ///
    /// - Parameters:
    ///   - sheetCode: The error code, which is 1 (canceled), 2 (no presentation context) or 3 (invalid presentation
    ///     context).
    ///   - userInfo: The error's information, in which the underlying error is replaced by its own information.
    ///   - callback: The redirect that the sheet was waiting for.
    init?(sheetCode: Int, userInfo: [String: Any], callback: SheetCallback) {
        let reason = Self.reason(in: userInfo)
        switch (sheetCode, reason, callback) {
        case (1, nil, _):
            self.init(.canceled)
        case (1, .some(let reason), .https(let host, _)):
            self.init(
                .invalidConfiguration,
                detail: """
                    the system did not show the page: \(reason) Add webcredentials:\(host) to the app's Associated Domains \
                    and the app's identifier to webcredentials in https://\(host)/.well-known/apple-app-site-association
                    """
            )
        case (1, .some(let reason), .customScheme):
            self.init(.invalidConfiguration, detail: "the system did not show the page: \(reason)")
        case (2, _, _), (3, _, _):
            self.init(
                .invalidConfiguration,
                detail: "the page cannot appear over this window. Use a window whose scene is in the foreground"
            )
        default:
            return nil
        }
    }

    /// Returns the system's explanation from the error or its underlying error.
    ///
    /// The explanation is nil if the user closed the page.
    private static func reason(in userInfo: [String: Any]) -> String? {
        let texts = ["NSLocalizedFailureReason", "NSDebugDescription", "NSLocalizedDescription"].lazy
            .compactMap { userInfo[$0] as? String }
        if let text = texts.first(where: { !$0.isEmpty }) { return text }
        return (userInfo["NSUnderlyingError"] as? [String: Any]).map { self.reason(in: $0) ?? "another error." }
    }
}
