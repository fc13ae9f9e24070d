// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(AuthenticationServices) && (canImport(MessageUI) || canImport(AppKit))
public import AuthenticationServices
public import Foundation
public import Tessera
public import TesseraOAuth

/// The system's sign-in sheet, which shares the browser's session: the user agent of apps for iOS, visionOS and macOS.
///
/// The sheet returns a single redirect. A redirect that does not belong to the sign-in ends it with ``SignInError``
/// `givenUp`.
public struct AuthenticationSessionAgent: UserAgent {
    /// Returns the window that the sheet appears over, or nil if none is on the screen.
    public typealias Anchor = @MainActor @Sendable () -> ASPresentationAnchor?

    /// The redirect URI: of a private scheme (`com.example.app:/callback`), or an `https` URI of an associated domain.
    public let redirectURI: String
    /// Whether the sheet starts without the browser's cookies.
    public var prefersEphemeralSession: Bool
    /// The clock for the timeout.
    public var clock: any Clock<Duration>
    private let anchor: Anchor

    /// Creates a sheet over a window.
    ///
    /// An `https` redirect URI needs iOS 17.4, macOS 14.4 or visionOS 1.1. Its host must be one of the app's associated
    /// domains, with the service `webcredentials`. A private scheme works everywhere and needs neither.
    ///
    /// - Parameters:
    ///   - redirectURI: A redirect URI that is registered for the client.
    ///   - prefersEphemeralSession: Whether the sheet starts without the browser's cookies.
    ///   - clock: The clock for the timeout.
    ///   - anchor: Returns the window that the sheet appears over. The window must belong to a scene in the foreground.
    public init(
        redirectURI: String,
        prefersEphemeralSession: Bool = false,
        clock: any Clock<Duration> = ContinuousClock(),
        anchor: @escaping Anchor
    ) {
        self.redirectURI = redirectURI
        self.prefersEphemeralSession = prefersEphemeralSession
        self.clock = clock
        self.anchor = anchor
    }

    /// Shows the sheet and waits for its redirect.
    ///
    /// - Returns: The value of the verdict that accepted the redirect.
    /// - Throws: ``SignInError``: `givenUp` if the user closed the sheet, `timedOut`, `noBrowser` if the system did not show
    ///   it, and `invalidConfiguration` for a redirect URI or window that the system does not accept. Also what `request`
    ///   and `judge` throw, and `CancellationError`.
    public func authorize<Value: Sendable>(
        timeout: Duration,
        responseMode: ResponseMode,
        request: @Sendable (_ redirectURI: String) async throws -> URL,
        judge: @Sendable (_ delivered: DeliveredResponse) async throws -> RedirectVerdict<Value>
    ) async throws -> Value {
        guard !responseMode.isFormPost else {
            throw SignInError(.invalidConfiguration, detail: "a form post never reaches this sheet: use the query")
        }
        // Before the request, which may already go to the provider.
        let callback = try self.callback()
        let sheet = try await self.sheet()
        let page = try await request(self.redirectURI)
        let redirect = try await self.limited(by: timeout) { try await self.redirect(from: page, callback, sheet) }
        switch try await judge(.redirect(redirect.absoluteString)) {
        case .accepted(let value, _): return value
        case .notOurs(let reason): throw SignInError(.givenUp, detail: reason)
        }
    }

    /// Shows a page without a time limit, for callers that validate the redirect themselves.
    ///
    /// - Returns: The redirect, not validated.
    /// - Throws: ``SignInError`` as ``authorize(timeout:responseMode:request:judge:)``; `CancellationError`, after the
    ///   sheet has been dismissed.
    package func redirect(from page: URL) async throws -> URL {
        try await self.redirect(from: page, self.callback(), self.sheet())
    }

    private func redirect(from page: URL, _ callback: SheetCallback, _ sheet: AuthenticationSheet) async throws -> URL {
        try await sheet.redirect(
            from: page,
            callback: callback,
            isEphemeral: self.prefersEphemeralSession,
            clock: self.clock
        )
    }

    @MainActor
    private func sheet() throws(SignInError) -> AuthenticationSheet { try AuthenticationSheet(over: self.anchor()) }

    private func callback() throws(SignInError) -> SheetCallback {
        try SheetCallback(redirectURI: self.redirectURI, supportsHTTPS: AuthenticationSheet.supportsHTTPS)
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
