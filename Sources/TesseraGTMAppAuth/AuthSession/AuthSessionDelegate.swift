// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Has a say in how an ``AuthSession`` refreshes its tokens, and in the errors that it gives.
///
/// Called on any thread.
public protocol AuthSessionDelegate: AnyObject, Sendable {
    /// What a token request carries beside its own parameters; asked only when the tokens are to be refreshed.
    func additionalTokenRefreshParameters(forAuthSession authSession: AuthSession) -> [String: String]?

    /// Another error in place of one that an authorization ended with.
    ///
    /// - Parameters:
    ///   - authSession: whose authorization it was.
    ///   - originalError: what went wrong.
    ///   - completion: takes the error that the caller gets, nil for the original one. Where it is let go of without a
    ///     call, the caller gets the original one.
    func updateError(
        forAuthSession authSession: AuthSession,
        originalError: any Error,
        completion: @escaping @Sendable ((any Error)?) -> Void
    )
}

extension AuthSessionDelegate {
    /// Nothing.
    public func additionalTokenRefreshParameters(forAuthSession authSession: AuthSession) -> [String: String]? { nil }

    /// The original error.
    public func updateError(
        forAuthSession authSession: AuthSession,
        originalError: any Error,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        completion(nil)
    }
}

/// The older name of ``AuthSessionDelegate``.
public typealias GTMAuthSessionDelegate = AuthSessionDelegate
