// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE
internal import HTTPTypes
internal import TesseraOAuth

/// How a local provider is set up.
public struct LocalProviderOptions: Sendable {
    /// The address to listen at: a loopback address, unless other machines are to reach the provider.
    public var host = "127.0.0.1"
    /// The port; 0 takes a free one.
    public var port = 0
    /// Where others reach the provider, without a slash at the end; nil for where it listens.
    ///
    /// For a provider behind a proxy, or in a container whose port has another number outside.
    public var publicURL: String?
    /// The directory whose files the small Drive serves; nil serves a few built-in samples from memory.
    ///
    /// Only regular files directly in it are seen, never hidden files and never what a symbolic link points to. New
    /// files are written into it, and a hidden index of them. Uploads that are not complete are hidden files, which the
    /// next start deletes: two providers do not share a directory.
    public var dataDirectory: String?
    /// How long an access token and an ID token live, in seconds.
    public var accessTokenLifetime = 3600
    /// Whether a refresh gives a new refresh token and ends the old one; an old one used again ends the whole session.
    public var rotateRefreshTokens = false
    /// Whether to serve https, with a certificate of an authority made for this run.
    public var tls = false
    /// Where to write that authority's certificate (PEM); nil writes it nowhere.
    public var certificateAuthorityFile: String?
    /// The algorithm that signs ID tokens.
    public var signingAlgorithm: JWSAlgorithm = .rs256
    /// The people who can sign in.
    public var accounts = LocalProviderAccount.samples
    /// The registered programs; the first is the provider's ``LocalProvider/clientID``.
    public var clients = [LocalProviderClient.desktop]
    /// Scopes known besides Google's common ones, with the words that the consent page says for each.
    public var additionalScopes: [String: String] = [:]
    /// The switches for tests, as they are set at the start.
    public var behaviour = Behaviour()
    /// The wall clock.
    public var now: @Sendable () -> Date = { Date() }
    /// Random bytes for codes, tokens and secrets of forms.
    public var randomBytes: @Sendable (_ count: Int) -> [UInt8] = { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<max(count, 0)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// The defaults: a random port of 127.0.0.1, two people, one desktop client, sample files.
    public init() {}
}

extension LocalProviderOptions {
    /// Returns whether only this machine reaches a ``host``: `localhost`, `::1` or an address in 127.0.0.0/8.
    public static func isLoopback(_ host: String) -> Bool {
        RequestTarget.isLoopback(host.lowercased()) || host == "::1"
    }

    func validate() throws(LocalProviderError) {
        guard (0...65_535).contains(self.port) else {
            throw LocalProviderError(.invalidOption, "The port must be between 0 and 65535.")
        }
        guard (1...31_536_000).contains(self.accessTokenLifetime) else {
            throw LocalProviderError(.invalidOption, "The access token lifetime must be between 1 second and a year.")
        }
        let hostBytes = self.host.utf8
        guard !hostBytes.isEmpty,
            hostBytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Array("/\\\"@?#".utf8).contains($0) })
        else { throw LocalProviderError(.invalidOption, "The host must be a name or an address of this machine.") }
        if let publicURL {
            guard let parts = URIParts(publicURL), ["http", "https"].contains(parts.scheme), parts.host != nil,
                parts.userinfo == nil, parts.path.isEmpty, parts.query == nil, parts.fragment == nil
            else {
                throw LocalProviderError(
                    .invalidOption,
                    "The public URL must be http or https, a host, and perhaps a port: no path, and no slash at the end."
                )
            }
        }
        guard Set(self.accounts.map(\.subject)).count == self.accounts.count,
            Set(self.accounts.map { $0.email.lowercased() }).count == self.accounts.count
        else { throw LocalProviderError(.invalidOption, "Two accounts have the same subject or email address.") }
        guard Set(self.clients.map(\.id)).count == self.clients.count else {
            throw LocalProviderError(.invalidOption, "Two clients have the same identifier.")
        }
    }
}

extension LocalProviderOptions {
    /// Switches for tests: how the provider differs from its normal self.
    ///
    /// ``LocalProvider/change(_:)`` sets them while it runs.
    public struct Behaviour: Sendable {
        /// What goes wrong with the next token requests, one entry per request, first entry first.
        public var tokenFaults: [TokenFault] = []
        /// What goes wrong with the next requests to the Drive, one entry per request, first entry first.
        ///
        /// Each call of a batch counts as a request, the batch itself does not.
        public var driveFaults: [DriveFault] = []
        /// Runs before a request, or a call of a batch, is answered, with its path: wait in it to hold the answer back.
        public var beforeAnswer: (@Sendable (_ path: String) async -> Void)?
        /// Runs when a refresh was granted, before its answer is sent, with the person's `sub`; it must not block.
        public var afterRefresh: (@Sendable (_ subject: String) -> Void)?
        /// Whether redirects carry `iss` and discovery says so (RFC 9207).
        ///
        /// Google's do not.
        public var sendsIssuerInRedirects = false
        /// Whether the answer to a refresh repeats the refresh token.
        ///
        /// Google's does not.
        public var repeatsRefreshToken = false
        /// Whether the answer to a code or refresh names no `expires_in`.
        public var omitsExpiry = false
        /// Whether clients are in testing: a grant of more than name and address ends seven days after its consent, and
        /// the answer says so (`refresh_token_expires_in`).
        ///
        /// It counts for what is granted from now on.
        public var clientsAreInTesting = false
        /// For how many seconds a person grants access; nil is without an end.
        ///
        /// It counts for what is granted from now on.
        public var grantLifetime: Int?
        /// How many sign-ins of an account with a client are kept; one more ends the oldest, without a word.
        public var signInLimit = 100
        /// Why every refresh is refused; nil refuses none.
        public var refreshRefusal: RefreshRefusal?
        /// By how many seconds the `Date` of every answer is ahead of the time of this machine.
        public var dateOffset = 0

        /// The provider's normal self.
        public init() {}

        /// Refuses the next `count` requests to the Drive for being too many: with 429 and `Retry-After` when seconds
        /// are given, and with 403 and the reason `userRateLimitExceeded` otherwise.
        ///
        /// Faults that are set already come after.
        public mutating func limitDriveRate(ofNext count: Int, retryAfter: Int? = nil) {
            let fault: DriveFault = retryAfter.map { .status(429, retryAfter: $0) } ?? .rateLimited
            self.driveFaults.insert(contentsOf: repeatElement(fault, count: max(0, count)), at: 0)
        }
    }

    /// One thing that can go wrong with a request to the small Drive.
    ///
    /// A fault whose kind of request it does not concern is used up, and the request is served normally.
    public enum DriveFault: Sendable, Hashable {
        /// Nothing: this request is served normally.
        case none
        /// Google's error for this status, with `Retry-After` when seconds are given; nothing is carried out.
        case status(Int, retryAfter: Int? = nil)
        /// 403 with the reason `userRateLimitExceeded`; nothing is carried out.
        case rateLimited
        /// The request is carried out wholly, and the connection ends before the answer begins.
        case lostAnswer
        /// An upload session takes only that many bytes of the body, rounded down to 256 KiB, and says so.
        case partial(Int64)
        /// An upload session takes that many bytes of the body, and the connection breaks without an answer.
        ///
        /// Other requests are not carried out: the connection breaks at once.
        case broken(Int64)
        /// An upload session takes nothing and names a new address; the old one is gone.
        case movedSession
        /// An upload session is gone for good; the status is 404 or 410.
        case sessionGone(Int)
        /// An upload session takes the body, does not end, and claims 256 KiB more than it received.
        case wrongRange
        /// The request is carried out, and the connection breaks after that many bytes of the answer's body.
        case cutAnswer(Int64)
        /// A download answers with the whole content although a range was asked for.
        case ignoredRange
        /// From now on a download acts as if the content had changed: it has another entity tag and a later date.
        case changedFile
    }

    /// One thing that can go wrong with a token request.
    public enum TokenFault: Sendable, Hashable {
        /// 503, with `Retry-After` when seconds are given; nothing happens to the grant.
        case unavailable(retryAfter: Int? = nil)
        /// An OAuth error with this code and status 400; nothing happens to the grant.
        case error(String)
        /// 200 with an HTML page, as a captive portal answers; nothing happens to the grant.
        case html
        /// The request is carried out, tokens rotate, and the connection breaks in the middle of the answer.
        case cutAnswer
        /// The request is carried out, tokens rotate, and no answer comes until the provider stops.
        case heldAnswer
    }

    /// Why the provider refuses every refresh, in Google's words.
    public enum RefreshRefusal: Sendable, Hashable, CaseIterable {
        /// The organisation wants the person to sign in again (`invalid_grant` with `invalid_rapt`).
        case reauthentication
        /// An administrator does not allow the client (`admin_policy_enforced`).
        case adminPolicy
        /// The client was deleted (`deleted_client`).
        case deletedClient
        /// The client has another secret by now (`invalid_client`).
        case changedSecret

        /// What is answered.
        var failure: TokenFailure {
            switch self {
            case .reauthentication:
                TokenFailure(
                    "invalid_grant",
                    "reauth related error (invalid_rapt)",
                    subtype: "invalid_rapt",
                    uri: "https://support.google.com/a/answer/9368756"
                )
            case .adminPolicy:
                TokenFailure("admin_policy_enforced", "Access is blocked by the administrator.")
            case .deletedClient:
                TokenFailure("deleted_client", "The OAuth client was deleted.", status: .unauthorized)
            case .changedSecret:
                TokenFailure("invalid_client", "The provided client secret is invalid.", status: .unauthorized)
            }
        }

        /// Whether it is about the client, whatever token comes.
        var isOfClient: Bool { [.deletedClient, .changedSecret].contains(self) }
    }
}
#endif
