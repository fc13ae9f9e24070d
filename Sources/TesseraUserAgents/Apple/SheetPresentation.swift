// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

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

/// Receives the only redirect of a page that closes itself with it, such as the system's sign-in sheet.
final class SheetReceiver: Sendable {
    private struct State {
        var page: URL?
        /// Why the redirect does not belong to the sign-in.
        var mismatch: String?
    }

    private let show: @Sendable (_ page: URL) async throws -> URL
    private let state = Mutex(State())

    /// Creates a receiver.
    ///
    /// - Parameter show: Shows the page and returns its redirect. If its task is cancelled it takes the page away.
    init(_ show: @escaping @Sendable (_ page: URL) async throws -> URL) { self.show = show }

    /// The receiver for a sign-in.
    func receiver(redirectURI: String) -> RedirectReceiver {
        RedirectReceiver(
            redirectURI: redirectURI,
            present: { page in self.state.withLock { $0.page = page } },
            nextRedirect: { try await self.nextRedirect() },
            close: {}
        )
    }

    /// The page is shown while its redirect is awaited, so that the end of the wait takes it away.
    private func nextRedirect() async throws -> Redirect? {
        let (page, mismatch) = self.state.withLock { ($0.page.take(), $0.mismatch) }
        guard let page else { throw SignInError(.givenUp, detail: mismatch) }
        return Redirect(.redirect(try await self.show(page).absoluteString)) { reply in
            guard case .unrelated(let reason) = reply else { return }
            self.state.withLock { $0.mismatch = reason }
        }
    }
}

/// The redirect that closes the sign-in sheet.
enum SheetCallback: Sendable, Hashable {
    case customScheme(String)
    case https(host: String, path: String)

    /// The callback for a redirect URI.
    ///
    /// - Parameters:
    ///   - redirectURI: The redirect URI of the sign-in.
    ///   - supportsHTTPS: Whether this version of the system closes the sheet at an `https` redirect.
    /// - Throws: ``SignInError`` `invalidConfiguration` for a redirect URI that can never close the sheet.
    init(redirectURI: String, supportsHTTPS: Bool) throws {
        guard let url = URL(string: redirectURI), let scheme = url.scheme?.lowercased() else {
            throw Self.invalid("the redirect URI is not a URI")
        }
        guard scheme == "https" else {
            // RFC 8252, section 7.1: a private scheme is a domain name of the app's maker, reversed.
            guard scheme.contains(".") else { throw Self.invalid("the redirect URI's scheme has no dot") }
            self = .customScheme(scheme)
            return
        }
        guard let host = url.host(), !host.isEmpty else { throw Self.invalid("the redirect URI has no host") }
        guard supportsHTTPS else {
            throw Self.invalid(
                """
                an https redirect URI needs iOS 17.4, macOS 14.4 or visionOS 1.1. Use a redirect URI of a private scheme \
                on earlier versions
                """
            )
        }
        self = .https(host: host, path: url.path())
    }

    private static func invalid(_ detail: String) -> SignInError { SignInError(.invalidConfiguration, detail: detail) }
}

extension SignInError {
    /// Creates the error for a failure in the domain `ASWebAuthenticationSessionError`, or nil for an unknown code.
    ///
    /// The system also reports "canceled" when it refuses to show the page at all, and then says why: only a cancellation
    /// without such a reason means that the user closed the page.
    ///
    /// - Parameters:
    ///   - sheetCode: The failure's code: 1 canceled, 2 no presentation context, 3 invalid presentation context.
    ///   - userInfo: What the system says about the failure, with the underlying error's information in place of the
    ///     error.
    ///   - callback: The redirect that the sheet was waiting for.
    init?(sheetCode: Int, userInfo: [String: Any], callback: SheetCallback) {
        let reason = Self.reason(in: userInfo)
        switch (sheetCode, reason, callback) {
        case (1, nil, _):
            self.init(.givenUp)
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
                detail: "the page cannot appear over this window. Use a window of the scene in the foreground"
            )
        default:
            return nil
        }
    }

    /// The system's explanation, from the failure or from the one underneath.
    ///
    /// A closed page has none.
    private static func reason(in userInfo: [String: Any]) -> String? {
        let texts = ["NSLocalizedFailureReason", "NSDebugDescription", "NSLocalizedDescription"].lazy
            .compactMap { userInfo[$0] as? String }
        if let text = texts.first(where: { !$0.isEmpty }) { return text }
        return (userInfo["NSUnderlyingError"] as? [String: Any]).map { self.reason(in: $0) ?? "another error." }
    }
}
