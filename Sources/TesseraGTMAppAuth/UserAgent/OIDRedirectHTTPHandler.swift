// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
public import TesseraOAuth
internal import TesseraSupport
internal import TesseraUserAgents

/// Receives the redirect on a loopback address: for desktop programs without a private scheme.
///
/// ```swift
/// let handler = OIDRedirectHTTPHandler(successURL: nil)
/// let request = OIDAuthorizationRequest(…, redirectURL: try handler.startHTTPListener(), …)
/// handler.currentAuthorizationFlow = OIDAuthState.authState(byPresenting: request, externalUserAgent: agent) { … }
/// ```
/// Listens until the response has arrived, or ``cancelHTTPListener()`` is called. A request that is not the response,
/// also a forged one, gets a page that reports this, and changes nothing.
///
/// - SeeAlso: [RFC 8252, section 7.3](https://www.rfc-editor.org/rfc/rfc8252.html#section-7.3)
public final class OIDRedirectHTTPHandler: NSObject, Sendable {
    private struct State {
        var flow: (any OIDExternalUserAgentSession)?
        var listener: LoopbackListener?
    }

    /// Where the browser goes when the response has arrived; nil for a page that says that it can be closed.
    public let successURL: URL?
    private let insecure: Insecure
    private let warn: (@Sendable (_ message: String) -> Void)?
    private let state = Mutex(State())

    /// A handler that does not listen yet.
    ///
    /// - Parameters:
    ///   - successURL: Where the browser goes when the response has arrived.
    ///   - insecure: `redirectsFromAnyUser` accepts redirects from the processes of all users, for containers and proxies.
    ///     Otherwise, on Linux, only those of this user and of root are accepted.
    ///   - warn: Gets a message when a request was rejected because of the user whose process sent it.
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

    /// The wait that redirects are given to.
    public var currentAuthorizationFlow: (any OIDExternalUserAgentSession)? {
        get { self.state.withLock { $0.flow } }
        set { self.state.withLock { $0.flow = newValue } }
    }

    /// Starts to listen, in place of an earlier time.
    ///
    /// - Parameter port: a fixed port, 0 for one that the system chooses.
    /// - Returns: the redirect URL: `http://127.0.0.1:PORT/`, with `[::1]` on a machine without IPv4.
    /// - Throws: an `NSError` with `networkError` if the port cannot be used.
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
            throw NSError.appAuth(.networkError, "Nobody can listen on port \(port).", underlying: error)
        }
    }

    /// Stops to listen; a wait that is under way gets `programCanceledAuthorizationFlow`.
    public func cancelHTTPListener() {
        let state = self.take()
        state.listener?.stop()
        state.flow?.cancel()
    }

    private func receive(_ redirect: String) -> Bool {
        guard let url = URL(string: redirect), let flow = self.currentAuthorizationFlow,
            flow.resumeExternalUserAgentFlow(with: url)
        else { return false }
        // The response to the browser, which is still on its way, is finished.
        self.take().listener?.stop()
        return true
    }

    private func take() -> State {
        self.state.withLock { state in
            defer { state = State() }
            return state
        }
    }
}
