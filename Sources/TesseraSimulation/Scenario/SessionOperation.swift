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
        /// Makes several API calls at once, of which one or two run at a time.
        case limitedCalls
        /// Calls an API that often asks the client to wait.
        case throttledCall
        /// Calls an API that refuses most requests.
        case deniedCall
        /// Calls an API that redirects in different ways.
        case movedCall
        /// Calls an API with a proof of possession.
        case boundCall
        /// Calls a URL with tokens for configured origins.
        case configuredCall
        /// Makes a call that interceptors change or respond to.
        case interceptedCall
        /// Uploads bytes from one of several sources to an API that behaves in different ways.
        case importCall
        /// Cancels an interrupted import.
        case canceledImport
        /// Requests the user's claims from the userinfo endpoint.
        case userInfo
        /// Prints what the program knows about the session.
        case details
        /// Restores the session if its user has a claim.
        case claims
        /// Signs in with a browser for the program and its server.
        case serverSignIn
        /// Requests an access token for some of the scopes from the program's own cache.
        case cachedToken
        /// Uses a session object that has ended in this process.
        case endedSession
        /// Saves the session's record without its key.
        case keyRemoval
        /// Makes the account the default, and restores the session of the default account.
        case defaultAccount
        /// Refreshes the access token, again and again for 40 seconds.
        case refreshes
        /// Requests an access token for the program itself.
        case serviceToken
        /// Requests an access token for the program itself with a signed assertion.
        case assertedToken
        /// Calls the API for the program itself, which may reject the token.
        case serviceCall
        /// Exchanges the session's access token for another token.
        case exchangedToken
        /// Lists the accounts of the store.
        case accounts
        /// Checks that the store can save a session.
        case probe
        /// Encrypts all records with another key.
        case keyChange
        /// Reads the records with a key that does not decrypt them.
        case otherKey
        /// Saves a record in an archive.
        case archive
        /// Loads a record of an archive, and saves another one after a while.
        case archiveHold
        /// Loads a record of an archive.
        case archived
        /// Lists the accounts of an archive.
        case archives
        /// Removes a record of an archive.
        case archiveRemoval
        /// Uses an archive in ways that it must reject.
        case archiveMisuse
        /// Tries to replace a record of an archive with a key that does not decrypt it.
        case archiveOtherKey
        /// Checks that an archive can save a session.
        case archiveProbe
        /// Encrypts all records of an archive with another key.
        case archiveKeyChange
        /// Saves and takes values with an expiration time.
        case value

        var isSignOut: Bool { [.signOut, .disconnect, .revocation].contains(self) }
        var isSignIn: Bool { [.signIn, .browserSignIn, .repeatedSignIn, .serverSignIn].contains(self) }
        /// Whether the operation uses a store instead of a session.
        var isOfStore: Bool {
            switch self {
            case .accounts, .probe, .keyChange, .otherKey, .archive, .archiveHold, .archived, .archives,
                .archiveRemoval,
                .archiveMisuse, .archiveOtherKey, .archiveProbe, .archiveKeyChange, .value:
                true
            default: false
            }
        }
        /// Whether the operation uses a session for one of ``ProgramCalls``.
        var isCall: Bool { [.upload, .post, .followedCall, .addScopes].contains(self) }
        /// Whether the operation uses a session for one of ``ProgramFetches``.
        var isFetch: Bool { Self.fetches.contains(self) }

        private static let fetches: Set<Self> = [
            .limitedCalls, .throttledCall, .deniedCall, .movedCall, .boundCall, .configuredCall, .interceptedCall,
            .importCall, .canceledImport,
        ]
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
        case .limitedCalls: "several API calls for \(self.subject) within a limit"
        case .throttledCall: "an API call for \(self.subject) that often has to wait"
        case .deniedCall: "an API call for \(self.subject) that is mostly refused"
        case .movedCall: "an API call for \(self.subject) to a page that has moved"
        case .boundCall: "an API call for \(self.subject) with a proof of possession"
        case .configuredCall: "an API call for \(self.subject) to a URL that the user has entered"
        case .interceptedCall: "an API call for \(self.subject) that is intercepted"
        case .importCall: "an import for \(self.subject)"
        case .canceledImport: "the cancellation of \(self.subject)'s import"
        case .userInfo: "a request for the claims of \(self.subject)"
        case .details: "a request to print \(self.subject)'s session"
        case .claims: "a request to restore \(self.subject)'s session if its user has a claim"
        case .serverSignIn: "a sign-in of \(self.subject) for the program's server"
        case .cachedToken: "a request to a cache for an access token of \(self.subject) with one scope"
        case .endedSession: "the use of \(self.subject)'s ended session"
        case .keyRemoval: "the removal of the key from \(self.subject)'s record"
        case .defaultAccount: "the choice of \(self.subject) as the default account"
        case .refreshes: "refreshes of \(self.subject)'s access token for 40 seconds"
        case .serviceToken: "a request for an access token of the program"
        case .assertedToken: "a request for an access token of the program with an assertion"
        case .serviceCall: "an API call of the program"
        case .exchangedToken: "an exchange of \(self.subject)'s access token"
        case .accounts: "a list of the accounts"
        case .probe: "a check of the store"
        case .keyChange: "a change of the key"
        case .otherKey: "a request for all records with another key"
        case .archive: "a new record in the \(self.subject)"
        case .archiveHold: "a new record in the \(self.subject) after a while"
        case .archived: "a request for the record in the \(self.subject)"
        case .archives: "a list of the accounts in the archive"
        case .archiveRemoval: "the removal of the record in the \(self.subject)"
        case .archiveMisuse: "a wrong use of the \(self.subject)"
        case .archiveOtherKey: "a new record in the \(self.subject) with another key"
        case .archiveProbe: "a check of the archive"
        case .archiveKeyChange: "a change of the archive's key"
        case .value: "a value in the archive that expires"
        }
    }
}
