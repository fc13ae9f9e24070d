// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
internal import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// GTMSessionFetcher's former name for ``GTMSessionFetcherAuthorizer``.
public typealias GTMFetcherAuthorizationProtocol = GTMSessionFetcherAuthorizer

/// An object that authorizes a `GTMSessionFetcher`'s requests.
///
/// ``AuthSession`` conforms to this protocol. Requirements that are optional in GTMSessionFetcher's protocol have
/// default implementations.
public protocol GTMSessionFetcherAuthorizer: AnyObject, Sendable {
    /// Adds authorization to a request.
    ///
    /// - Parameters:
    ///   - request: The request. Its `Authorization` header will be set. The caller must not access the request until
    ///     `handler` is called.
    ///   - handler: Receives nil, or the error that prevented the authorization. It is called once, asynchronously.
    func authorizeRequest(
        _ request: NSMutableURLRequest?,
        completionHandler handler: @escaping ((any Error)?) -> Void
    )

    /// Stops all pending authorizations.
    ///
    /// Their handlers receive an error.
    func stopAuthorization()

    /// Stops the pending authorizations for requests that are equal to `request`.
    ///
    /// Their handlers receive an error.
    func stopAuthorization(for request: URLRequest)

    /// Returns whether an authorization is pending for a request that is equal to `request`.
    func isAuthorizingRequest(_ request: URLRequest) -> Bool

    /// Returns whether a request is authorized.
    func isAuthorizedRequest(_ request: URLRequest) -> Bool

    /// The user's email address, or nil if it is not known.
    var userEmail: String? { get }

    /// Whether a user is signed in.
    var canAuthorize: Bool { get }

    /// Whether to authorize requests to any server, regardless of its origin and of whether the connection is
    /// encrypted.
    var shouldAuthorizeAllRequests: Bool { get set }

    /// The service that determines the queue for completion handlers.
    ///
    /// The service is held weakly.
    var fetcherService: (any GTMSessionFetcherServiceProtocol)? { get set }

    /// Prepares a token refresh after a server has rejected the current token.
    ///
    /// - Returns: Whether another token is available.
    func primeForRefresh() -> Bool
}

extension GTMSessionFetcherAuthorizer {
    /// Whether a user is signed in, which is true by default.
    public var canAuthorize: Bool { true }

    /// Whether to authorize requests to any server, which is false by default.
    ///
    /// Setting this property has no effect.
    public var shouldAuthorizeAllRequests: Bool {
        get { false }
        set { _ = newValue }
    }

    /// The fetcher service, which is nil by default.
    ///
    /// Setting this property has no effect.
    public var fetcherService: (any GTMSessionFetcherServiceProtocol)? {
        get { nil }
        set { _ = newValue }
    }

    /// Does nothing and returns false by default.
    public func primeForRefresh() -> Bool { false }

    /// Adds authorization to a request.
    ///
    /// - Throws: The error that the completion handler receives.
    public func authorizeRequest(
        _ request: NSMutableURLRequest?,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            self.authorizeRequest(request) { error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(()))
            }
        }
    }
}

#if canImport(ObjectiveC)
extension GTMSessionFetcherAuthorizer {
    /// Adds authorization to a request and calls a delegate's method.
    @available(
        *,
        unavailable,
        message: "Use authorizeRequest(_:completionHandler:), and call the delegate's method in the completion handler."
    )
    public func authorizeRequest(_ request: NSMutableURLRequest?, delegate: Any, didFinish sel: Selector) {}
}

extension GTMSessionFetcher {
    /// Starts the fetch and calls a delegate's method when it is complete.
    @available(
        *,
        unavailable,
        message: "Use beginFetch(completionHandler:), and call the delegate's method in the completion handler."
    )
    public func beginFetch(withDelegate delegate: Any?, didFinish finishedSEL: Selector?) {}
}
#endif
