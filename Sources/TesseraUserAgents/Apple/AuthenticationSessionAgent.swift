// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(AuthenticationServices)
public import AuthenticationServices
public import Foundation
public import Tessera
public import TesseraOAuth

/// Signs a person in with the system's own sign-in sheet, which shares the browser's session: for apps.
///
/// The sheet returns one redirect only. One that is not the answer to the attempt ends it, with ``SignInError``
/// `givenUp`.
@available(tvOS, unavailable)
@available(watchOS, unavailable)
public struct AuthenticationSessionAgent: UserAgent {
    /// The redirect URI: of a private scheme (`com.example.app:/callback`), or an `https` one of an associated domain.
    public let redirectURI: String
    /// Whether the sheet starts without the browser's cookies.
    public var prefersEphemeralSession: Bool
    /// What measures the time-out.
    public var clock: any Clock<Duration>
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor

    /// A sheet over a window.
    ///
    /// - Parameters:
    ///   - redirectURI: of a private scheme, or an `https` one of an associated domain.
    ///   - prefersEphemeralSession: whether the sheet starts without the browser's cookies.
    ///   - clock: what measures the time-out.
    ///   - anchor: the window over which the sheet appears.
    public init(
        redirectURI: String,
        prefersEphemeralSession: Bool = false,
        clock: any Clock<Duration> = ContinuousClock(),
        anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
    ) {
        self.redirectURI = redirectURI
        self.prefersEphemeralSession = prefersEphemeralSession
        self.clock = clock
        self.anchor = anchor
    }

    /// Shows the sheet and waits for its redirect.
    ///
    /// - Returns: the value of the verdict that accepted the redirect.
    /// - Throws: ``SignInError`` `timedOut`, `givenUp`, `invalidConfiguration`; what `request` and `judge` throw;
    ///   `CancellationError`.
    public func authorize<Value: Sendable>(
        timeout: Duration,
        responseMode: ResponseMode,
        request: @Sendable (_ redirectURI: String) async throws -> URL,
        judge: @Sendable (_ delivered: DeliveredResponse) async throws -> RedirectVerdict<Value>
    ) async throws -> Value {
        guard !responseMode.isFormPost else {
            throw SignInError(.invalidConfiguration, detail: "a form post never reaches this sheet: use the query")
        }
        let callback = try self.callback()
        let url = try await request(self.redirectURI)
        let redirect = try await self.limited(by: timeout) { try await self.redirect(from: url, callback) }
        switch try await judge(.redirect(redirect.absoluteString)) {
        case .accepted(let value, _): return value
        case .notOurs(let reason): throw SignInError(.givenUp, detail: reason)
        }
    }

    /// Shows a page for as long as it takes: for whoever judges the redirect elsewhere.
    ///
    /// - Returns: the redirect, of which nothing is known yet.
    /// - Throws: ``SignInError`` `givenUp` for a sheet that the person closed, `noBrowser`, `invalidConfiguration`; what
    ///   the system says; `CancellationError`, and the sheet is gone.
    package func redirect(from page: URL) async throws -> URL {
        try await self.redirect(from: page, self.callback())
    }

    private func redirect(from page: URL, _ callback: @escaping AuthenticationSheet.Callback) async throws -> URL {
        let sheet = await AuthenticationSheet(anchor: self.anchor)
        return try await sheet.present(page, callback: callback, isEphemeral: self.prefersEphemeralSession)
    }

    private func callback() throws -> AuthenticationSheet.Callback {
        guard let url = URL(string: self.redirectURI), let scheme = url.scheme?.lowercased() else {
            throw SignInError(.invalidConfiguration, detail: "the redirect URI is not a URI")
        }
        guard scheme == "https" else {
            // RFC 8252, section 7.1: a private scheme is a domain name of the app's maker, reversed.
            guard scheme.contains(".") else {
                throw SignInError(.invalidConfiguration, detail: "the redirect URI's scheme has no dot")
            }
            return { .customScheme(scheme) }
        }
        guard let host = url.host() else {
            throw SignInError(.invalidConfiguration, detail: "the redirect URI has no host")
        }
        let path = url.path()
        return { .https(host: host, path: path) }
    }

    private func limited(
        by timeout: Duration,
        _ body: @escaping @Sendable () async throws -> URL
    ) async throws -> URL {
        let clock = self.clock
        return try await withThrowingTaskGroup(of: URL.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await clock.sleep(for: timeout)
                throw SignInError(.timedOut)
            }
            defer { group.cancelAll() }
            guard let url = try await group.next() else { throw CancellationError() }
            return url
        }
    }
}
#endif
