// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// An operation of a simulated program on a session.
public struct SessionOperation: Sendable, Hashable {
    /// A kind of operation.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Requests an access token.
        case token
        /// Requests an access token in several tasks at once.
        case tokens
        /// Requests an access token, and cancels the task soon after.
        case canceledToken
        /// Refreshes the access token even if it is valid.
        case refresh
        /// Calls the API, which may reject the token.
        case call
        /// Calls an API that redirects to another origin.
        case redirectedCall
        /// Signs out.
        case signOut
        /// Revokes access and signs out.
        case disconnect
        /// Signs in with new consent.
        case signIn
        /// Waits for refreshes and exits.
        case exit
        /// Uploads bytes in pieces, or resumes an upload that was interrupted.
        case upload
        /// Sends bytes that can be read only once.
        case post
        /// Calls an API that redirects to another origin, and follows the redirect.
        case followedCall
        /// Adds a scope to the session with new consent.
        case addScopes
        /// Signs in with a browser.
        case browserSignIn
        /// Refreshes the access token of a session object that has ended in this process.
        case endedRefresh
        /// Keeps the session object, so that the next operation restores the session.
        case keep
        /// Requests an access token of the session object that was kept.
        case keptToken
        /// Signs in with a browser again, for which the provider issues no refresh token.
        case repeatedSignIn
        /// Requests an access token that is valid for another 20 seconds.
        case validToken
        /// Requests an access token for some of the scopes, which is not saved.
        case narrowedToken
        /// Revokes access and signs out, unless the revocation fails.
        case revocation
        /// Receives the session's events for a minute.
        case events

        var isSignOut: Bool { [.signOut, .disconnect, .revocation].contains(self) }
        var isSignIn: Bool { [.signIn, .browserSignIn, .repeatedSignIn].contains(self) }
        /// Whether the operation uses a session for one of ``ProgramCalls``.
        var isCall: Bool { [.upload, .post, .followedCall, .addScopes].contains(self) }
    }

    /// The kind of operation.
    public let kind: Kind
    /// The name of the account, which is its subject, followed by `-openid` if its provider issues ID tokens.
    public let subject: String

    /// Creates an operation.
    public init(_ kind: Kind, of subject: String) {
        self.kind = kind
        self.subject = subject
    }
}

extension SessionOperation: CustomStringConvertible {
    /// The operation as a phrase.
    public var description: String {
        switch self.kind {
        case .token: "a request for \(self.subject)'s access token"
        case .tokens: "ten requests for \(self.subject)'s access token at once"
        case .canceledToken: "a request for \(self.subject)'s access token that is canceled"
        case .refresh: "a refresh of \(self.subject)'s access token"
        case .call: "an API call for \(self.subject)"
        case .redirectedCall: "an API call for \(self.subject) that is redirected"
        case .signOut: "the sign-out of \(self.subject)"
        case .disconnect: "the disconnection of \(self.subject)"
        case .signIn: "a sign-in of \(self.subject)"
        case .exit: "the exit of the process"
        case .upload: "an upload for \(self.subject)"
        case .post: "a request for \(self.subject) whose body can be read once"
        case .followedCall: "an API call for \(self.subject) that follows a redirect"
        case .addScopes: "a request for \(self.subject)'s consent to another scope"
        case .browserSignIn: "a sign-in of \(self.subject) with a browser"
        case .endedRefresh: "a refresh of \(self.subject)'s ended session"
        case .keep: "a request to keep \(self.subject)'s session object"
        case .keptToken: "a request for the access token of \(self.subject)'s session object that was kept"
        case .repeatedSignIn: "another sign-in of \(self.subject) with a browser"
        case .validToken: "a request for an access token of \(self.subject) that is valid for 20 seconds"
        case .narrowedToken: "a request for an access token of \(self.subject) with one scope"
        case .revocation: "the sign-out of \(self.subject) if access can be revoked"
        case .events: "a listener for the events of \(self.subject)'s session"
        }
    }
}
