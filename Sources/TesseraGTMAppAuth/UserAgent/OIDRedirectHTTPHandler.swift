// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
public import TesseraOAuth
internal import TesseraSupport
internal import TesseraUserAgents

/// Receives redirects on a loopback address, for desktop apps without a private URI scheme.
///
/// ```swift
/// let handler = OIDRedirectHTTPHandler(successURL: nil)
/// let request = OIDAuthorizationRequest(…, redirectURL: try handler.startHTTPListener(), …)
/// handler.currentAuthorizationFlow = OIDAuthState.authState(byPresenting: request, externalUserAgent: agent) { … }
/// ```
///
/// The handler listens until the response arrives, ``cancelHTTPListener()`` is called, or the handler is released. Any
/// other request, including a forged response, is ignored and receives an error page.
///
/// - SeeAlso: [RFC 8252, section 7.3](https://www.rfc-editor.org/rfc/rfc8252.html#section-7.3)
public final class OIDRedirectHTTPHandler: NSObject, Sendable {
    private struct State {
        var flow: (any OIDExternalUserAgentSession)?
        var listener: LoopbackListener?
    }

    /// The page to open after the response has arrived.
    ///
    /// If this is nil, the browser shows a page that the user can close.
    public let successURL: URL?
    private let insecure: Insecure
    private let warn: (@Sendable (_ message: String) -> Void)?
    private let state = Mutex(State())

    /// Creates a handler that is not listening yet.
    ///
    /// - Parameters:
    ///   - successURL: The page to open after the response has arrived.
    ///   - insecure: The insecure behavior to permit. `redirectsFromAnyUser` accepts redirects from any user's
    ///     processes, for use with containers and proxies. Without it, on Linux only redirects from this user's and
    ///     root's processes are accepted.
    ///   - warn: Receives a message when a request is rejected because of the user whose process sent it.
    public init(
        successURL: URL? = nil,
        insecure: Insecure = [],
        warn: (@Sendable (_ message: String) -> Void)? = nil
    ) {
        self.successURL = successURL
        self.insecure = insecure
        self.warn = warn
        super.init()
    }

    deinit { self.cancelHTTPListener() }

    /// The pending flow that receives the redirect.
    public var currentAuthorizationFlow: (any OIDExternalUserAgentSession)? {
        get { self.state.withLock { $0.flow } }
        set { self.state.withLock { $0.flow = newValue } }
    }

    /// Starts listening, replacing any previous listener.
    ///
    /// - Parameter port: The port, or 0 to let the system choose one.
    /// - Returns: The redirect URL, which is `http://127.0.0.1:PORT/`, or has `[::1]` as its host if the machine does
    ///   not support IPv4.
    /// - Throws: An `NSError` with the code `networkError` if the port cannot be used.
    public func startHTTPListener(port: UInt16 = 0) throws -> URL {
        self.cancelHTTPListener()
        do {
            let listener = try LoopbackListener(
                port: port,
                insecure: self.insecure,
                overrideName: "OIDRedirectHTTPHandler(insecure: .redirectsFromAnyUser)",
                successPage: self.successURL?.absoluteString,
                warn: self.warn
            ) { [weak self] in self?.receive($0) ?? false }
            guard let url = URL(string: listener.redirectURI) else { throw CocoaError(.formatting) }
            self.state.withLock { $0.listener = listener }
            return url
        } catch {
            throw NSError.appAuth(.networkError, "Could not listen on port \(port).", underlying: error)
        }
    }

    /// Stops listening.
    ///
    /// A pending flow receives `programCanceledAuthorizationFlow`.
    public func cancelHTTPListener() {
        let state = self.state.withLock { state in
            defer { state = State() }
            return state
        }
        state.listener?.stop()
        let error = NSError.appAuth(.programCanceledAuthorizationFlow, "The app stopped listening for the redirect.")
        state.flow?.failExternalUserAgentFlowWithError(error)
    }

    private func receive(_ redirect: String) -> Bool {
        let receiver = self.state.withLock { $0 }
        guard let url = URL(string: redirect), let flow = receiver.flow, flow.resumeExternalUserAgentFlow(with: url)
        else { return false }
        self.state.withLock { state in
            // The flow's callback may already have started another listener and another flow.
            if state.flow === flow { state.flow = nil }
            if state.listener === receiver.listener { state.listener = nil }
        }
        // Stopping the listener does not interrupt a response that is being sent to the browser.
        receiver.listener?.stop()
        return true
    }
}
