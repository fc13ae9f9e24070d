// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// AuthenticationServices can also be imported on tvOS and watchOS, which have no sign-in sheet. MessageUI is only
// available where view controllers can present system pages: iOS, visionOS and Mac Catalyst.
#if canImport(AuthenticationServices) && (canImport(MessageUI) || canImport(AppKit))
public import AuthenticationServices
package import Foundation
public import Tessera
public import TesseraOAuth
#if canImport(MessageUI)
internal import UIKit
#endif

/// A user agent for iOS, visionOS and macOS apps that shows the system's sign-in sheet.
///
/// The sheet shares its cookies with the browser. It returns a single redirect. If that redirect does not belong to the
/// sign-in, the sign-in ends with ``SignInError`` `canceled`.
public struct AuthenticationSessionAgent: UserAgent {
    /// Returns the window over which the sheet appears, or nil if no window is on the screen.
    public typealias Anchor = @MainActor @Sendable () -> ASPresentationAnchor?

    /// The redirect URI, which has a private scheme (`com.example.app:/callback`) or is an `https` URI of an associated
    /// domain.
    public let redirectURI: String
    /// Whether the sheet starts without the browser's cookies.
    public var prefersEphemeralSession: Bool
    private let anchor: Anchor

    /// Creates a user agent that shows the sheet over a window.
    ///
    /// An `https` redirect URI requires iOS 17.4, macOS 14.4 or visionOS 1.1, and its host must be one of the app's
    /// associated domains for the `webcredentials` service. A private scheme has no such requirements.
    ///
    /// - Parameters:
    ///   - redirectURI: A redirect URI that is registered for the client.
    ///   - prefersEphemeralSession: Whether the sheet starts without the browser's cookies.
    ///   - anchor: Returns the window over which the sheet appears. Its scene must be in the foreground.
    public init(
        redirectURI: String,
        prefersEphemeralSession: Bool = false,
        anchor: @escaping Anchor
    ) {
        self.redirectURI = redirectURI
        self.prefersEphemeralSession = prefersEphemeralSession
        self.anchor = anchor
    }

    /// Returns a receiver that shows the sheet while it waits for the redirect.
    ///
    /// The receiver throws ``SignInError`` `canceled` if the user closes the sheet, and `noBrowser` if the system does
    /// not show it.
    ///
    /// - Throws: ``SignInError`` `invalidConfiguration` if the system does not accept the redirect URI or the window.
    public func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver {
        guard !responseMode.isFormPost else {
            throw SignInError(
                .invalidConfiguration,
                detail: "the sign-in sheet cannot receive a form post. Use the response mode query"
            )
        }
        // Check the configuration before sending a request to the provider.
        let callback = try self.callback()
        let sheet = try await self.sheet()
        return SheetReceiver { page in try await self.redirect(from: page, callback, sheet) }
            .receiver(redirectURI: self.redirectURI)
    }

    /// Shows a page without a time limit, for callers that validate the redirect themselves.
    ///
    /// - Returns: The redirect, which has not been validated.
    /// - Throws: The same ``SignInError`` as a receiver, or `CancellationError` after the sheet has been dismissed.
    package func redirect(from page: URL) async throws -> URL {
        try await self.redirect(from: page, self.callback(), self.sheet())
    }

    private func redirect(from page: URL, _ callback: SheetCallback, _ sheet: AuthenticationSheet) async throws -> URL {
        try await sheet.redirect(from: page, callback: callback, isEphemeral: self.prefersEphemeralSession)
    }

    @MainActor
    private func sheet() throws -> AuthenticationSheet { try AuthenticationSheet(over: self.anchor()) }

    private func callback() throws -> SheetCallback {
        try SheetCallback(redirectURI: self.redirectURI, supportsHTTPS: AuthenticationSheet.supportsHTTPS)
    }
}

/// The system's sign-in sheet, shown over a window.
@MainActor
final class AuthenticationSheet: NSObject, ASWebAuthenticationPresentationContextProviding {
    private let window: ASPresentationAnchor

    /// Creates a sheet over a window that is on the screen.
    ///
    /// - Throws: ``SignInError`` `invalidConfiguration` if there is no window, or if the window does not belong to a
    ///   scene.
    init(over window: ASPresentationAnchor?) throws {
        #if canImport(MessageUI)
        let isPresentable = window?.windowScene != nil
        #else
        let isPresentable = true
        #endif
        guard let window, isPresentable else {
            throw SignInError(
                .invalidConfiguration,
                detail: """
                    there is no window to show the sign-in page over. Sign in from a view controller or window that is on \
                    the screen
                    """
            )
        }
        self.window = window
        super.init()
    }

    /// Shows a page and returns the redirect that closed the sheet.
    func redirect(
        from page: URL,
        callback: SheetCallback,
        isEphemeral: Bool
    ) async throws -> URL {
        try await SheetPresentation(clock: ContinuousClock())
            .redirect { completion in
                let session = Self.session(page, callback) { @Sendable redirect, error in
                    completion(redirect.map { .success($0) } ?? .failure(Self.failure(error, callback)))
                }
                session.presentationContextProvider = self
                session.prefersEphemeralWebBrowserSession = isEphemeral
                return session
            }
    }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { self.window }

    /// Whether this version of the system can close the sheet on an `https` redirect.
    nonisolated static var supportsHTTPS: Bool {
        if #available(iOS 17.4, macCatalyst 17.4, macOS 14.4, visionOS 1.1, *) { true } else { false }
    }

    private static func session(
        _ page: URL,
        _ callback: SheetCallback,
        _ handler: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) -> ASWebAuthenticationSession {
        if #available(iOS 17.4, macCatalyst 17.4, macOS 14.4, visionOS 1.1, *) {
            let end: ASWebAuthenticationSession.Callback =
                switch callback {
                case .customScheme(let scheme): .customScheme(scheme)
                case .https(let host, let path): .https(host: host, path: path)
                }
            return ASWebAuthenticationSession(url: page, callback: end, completionHandler: handler)
        }
        // Earlier systems have no https callback, so `SheetCallback` rejects such a redirect URI.
        let scheme: String? = if case .customScheme(let scheme) = callback { scheme } else { nil }
        return ASWebAuthenticationSession(url: page, callbackURLScheme: scheme, completionHandler: handler)
    }

    nonisolated private static func failure(_ error: (any Error)?, _ callback: SheetCallback) -> any Error {
        guard let error else { return SignInError(.canceled) }
        guard let code = (error as? ASWebAuthenticationSessionError)?.code.rawValue else { return error }
        return SignInError(sheetCode: code, userInfo: Self.information(error as NSError), callback: callback) ?? error
    }

    /// Returns the system's information about an error, in which underlying errors are replaced by their own
    /// information.
    nonisolated private static func information(_ error: NSError) -> [String: Any] {
        var information = error.userInfo
        if let underlying = information[NSUnderlyingErrorKey] as? any Error {
            information[NSUnderlyingErrorKey] = Self.information(underlying as NSError)
        }
        return information
    }
}

extension ASWebAuthenticationSession: SheetSession {}
#endif
