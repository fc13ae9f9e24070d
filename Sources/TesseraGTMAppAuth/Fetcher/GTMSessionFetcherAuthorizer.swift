// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
internal import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// The older name of ``GTMSessionFetcherAuthorizer``.
public typealias GTMFetcherAuthorizationProtocol = GTMSessionFetcherAuthorizer

/// What a `GTMSessionFetcher` asks for the authorization of a request: the ancestors' door.
///
/// ``AuthSession`` is one. What the ancestor's protocol leaves optional has a default here.
public protocol GTMSessionFetcherAuthorizer: AnyObject, Sendable {
    /// Adds the authorization to a request.
    ///
    /// - Parameters:
    ///   - request: gets an `Authorization` header field; the caller must not touch it until `handler` is called.
    ///   - handler: gets nil, or why the request has no authorization; called once, later.
    func authorizeRequest(
        _ request: NSMutableURLRequest?,
        completionHandler handler: @escaping ((any Error)?) -> Void
    )

    /// Calls off every authorization that is under way; their handlers get an error.
    func stopAuthorization()

    /// Calls off the authorizations of requests like this one; their handlers get an error.
    func stopAuthorization(for request: URLRequest)

    /// Whether the authorization of a request like this one is under way.
    func isAuthorizingRequest(_ request: URLRequest) -> Bool

    /// Whether a request has an authorization.
    func isAuthorizedRequest(_ request: URLRequest) -> Bool

    /// The email address of the user; nil where it is not known.
    var userEmail: String? { get }

    /// Whether a user is signed in.
    var canAuthorize: Bool { get }

    /// Whether the authorization goes to every server that is asked, whoever it is and however it is reached.
    var shouldAuthorizeAllRequests: Bool { get set }

    /// The service whose queue handlers are called on; held weakly.
    var fetcherService: (any GTMSessionFetcherServiceProtocol)? { get set }

    /// Makes the next authorization bring another token, after a server refused this one.
    ///
    /// - Returns: whether another one can be had.
    func primeForRefresh() -> Bool
}

extension GTMSessionFetcherAuthorizer {
    /// True.
    public var canAuthorize: Bool { true }

    /// False; setting it does nothing.
    public var shouldAuthorizeAllRequests: Bool {
        get { false }
        set { _ = newValue }
    }

    /// Nil; setting it does nothing.
    public var fetcherService: (any GTMSessionFetcherServiceProtocol)? {
        get { nil }
        set { _ = newValue }
    }

    /// Does nothing, and says that no other token can be had.
    public func primeForRefresh() -> Bool { false }

    /// Adds the authorization to a request, for callers that wait.
    ///
    /// - Throws: what the handler gets.
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

    /// The authorizer itself: Google's guide writes `user.fetcherAuthorizer()`, its headers `user.fetcherAuthorizer`.
    public func callAsFunction() -> Self { self }
}
