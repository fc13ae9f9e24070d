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

/// The options for a local provider.
public struct LocalProviderOptions: Sendable {
    /// The address to listen on, which should be a loopback address unless other machines need access.
    public var host = "127.0.0.1"
    /// The port to listen on, or 0 to use any free port.
    public var port = 0
    /// The URL at which clients reach the provider, without a trailing slash, or `nil` to use the address it listens
    /// on.
    ///
    /// Set this for a provider behind a proxy, or in a container whose port is mapped to a different number.
    public var publicURL: String?
    /// The directory that Drive serves, or `nil` for a few built-in samples in memory.
    ///
    /// Only regular files directly in the directory are visible. Hidden files and symbolic links are ignored. New files
    /// and a hidden index are written to the directory. Incomplete uploads are hidden files, which are deleted the next
    /// time the provider starts. Two providers cannot share a directory.
    public var dataDirectory: String?
    /// The lifetime of access tokens and ID tokens in seconds.
    public var accessTokenLifetime = 3600
    /// Whether a refresh replaces the refresh token.
    ///
    /// If a replaced token is used again, the session is revoked.
    public var rotateRefreshTokens = false
    /// Whether to serve https, using a certificate from a certificate authority that is created for this run.
    ///
    /// This requires the package trait `LocalProviderTLS`.
    public var tls = false
    /// The file to which the certificate authority's certificate is written in PEM format, or `nil` for none.
    public var certificateAuthorityFile: String?
    /// The signature algorithm for ID tokens.
    public var signingAlgorithm: JWSAlgorithm = .rs256
    /// The accounts that users can sign in with.
    public var accounts = LocalProviderAccount.samples
    /// The registered clients.
    ///
    /// The first one determines ``LocalProvider/clientID``.
    public var clients = [LocalProviderClient.desktop]
    /// Additional scopes, with the descriptions shown on the consent page.
    public var additionalScopes: [String: String] = [:]
    /// The endpoints for credentials without a user, such as service accounts, or `nil` for none.
    public var cloud: LocalCloudOptions?
    /// The initial test settings.
    public var behavior = Behavior()
    /// A function that returns the current time.
    public var now: @Sendable () -> Date = { Date() }
    /// A function that returns random bytes for codes, tokens and form secrets.
    public var randomBytes: @Sendable (_ count: Int) -> [UInt8] = { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<max(count, 0)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Creates the default options, which are a random port on 127.0.0.1, two accounts, a desktop client and sample
    /// files.
    public init() {}
}

extension LocalProviderOptions {
    /// Returns whether a ``host`` can be reached only from this machine, which is true for `localhost`, `::1` and
    /// 127.0.0.0/8.
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
        #if !LocalProviderTLS
        if self.tls {
            throw LocalProviderError(.invalidOption, "For https, enable the package trait LocalProviderTLS.")
        }
        #endif
        let hostBytes = self.host.utf8
        guard !hostBytes.isEmpty,
            hostBytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Array("/\\\"@?#".utf8).contains($0) })
        else { throw LocalProviderError(.invalidOption, "The host must be a name or IP address of this machine.") }
        if let publicURL {
            guard let parts = URIParts(publicURL), ["http", "https"].contains(parts.scheme), parts.host != nil,
                parts.userinfo == nil, parts.path.isEmpty, parts.query == nil, parts.fragment == nil
            else {
                throw LocalProviderError(
                    .invalidOption,
                    "The public URL must be an http or https URL with a host and an optional port, and without a path."
                )
            }
        }
        guard Set(self.accounts.map(\.subject)).count == self.accounts.count,
            Set(self.accounts.map { $0.email.lowercased() }).count == self.accounts.count
        else { throw LocalProviderError(.invalidOption, "Two accounts have the same subject or email address.") }
        guard Set(self.clients.map(\.id)).count == self.clients.count else {
            throw LocalProviderError(.invalidOption, "Two clients have the same identifier.")
        }
        try self.cloud?.validate()
    }
}

extension LocalProviderOptions {
    /// Test settings that change the provider's behavior.
    ///
    /// Use ``LocalProvider/change(_:)`` to change these settings while the provider is running.
    public struct Behavior: Sendable {
        /// The faults for upcoming token requests, one per request, in order.
        public var tokenFaults: [TokenFault] = []
        /// The faults for upcoming Drive requests, one per request, in order.
        ///
        /// In a batch, each call uses one fault, but the batch itself does not.
        public var driveFaults: [DriveFault] = []
        /// The faults for upcoming requests to cloud endpoints, one per request, in order.
        public var cloudFaults: [CloudEndpoint: [CloudFault]] = [:]
        /// A function that runs before the response to a request or to a call in a batch.
        ///
        /// The function can delay the response. Its argument is the path of the request.
        public var beforeResponse: (@Sendable (_ path: String) async -> Void)?
        /// A function that runs after a successful refresh, before the response is sent.
        ///
        /// The function must not block. Its argument is the user's `sub`.
        public var afterRefresh: (@Sendable (_ subject: String) -> Void)?
        /// Whether redirects contain `iss` and the metadata announces it (RFC 9207).
        ///
        /// Google's redirects do not contain it.
        public var sendsIssuerInRedirects = false
        /// Whether the response to a refresh contains the unchanged refresh token.
        ///
        /// Google's responses do not.
        public var repeatsRefreshToken = false
        /// Whether token responses omit `expires_in`.
        public var omitsExpiry = false
        /// Whether all clients have the publishing status "testing".
        ///
        /// If so, new grants that include more than the name and email address expire seven days after consent, and
        /// responses contain `refresh_token_expires_in`.
        public var clientsAreInTesting = false
        /// The number of seconds after which new grants expire, or `nil` if they never expire.
        public var grantLifetime: Int?
        /// The maximum number of sessions that an account can have with a client.
        ///
        /// Once it is reached, each new session silently ends the oldest one.
        public var signInLimit = 100
        /// The reason for rejecting all refreshes, or `nil` to accept them.
        public var refreshRefusal: RefreshRefusal?
        /// The number of seconds by which the `Date` field in responses is ahead of this machine's time.
        public var dateOffset = 0

        /// Creates settings for the default behavior.
        public init() {}

        /// Rejects the next `count` Drive requests because of rate limiting.
        ///
        /// The response has the status 429 with `Retry-After` if `retryAfter` is set. Otherwise, it has the status 403
        /// with the reason `userRateLimitExceeded`. The new faults come before existing ones.
        public mutating func limitDriveRate(ofNext count: Int, retryAfter: Int? = nil) {
            let fault: DriveFault = retryAfter.map { .status(429, retryAfter: $0) } ?? .rateLimited
            self.driveFaults.insert(contentsOf: repeatElement(fault, count: max(0, count)), at: 0)
        }
    }

    /// A fault for a Drive request.
    ///
    /// A fault that does not apply to the type of request is removed from the list and has no effect.
    public enum DriveFault: Sendable, Hashable {
        /// The request is processed normally.
        case none
        /// Google's error for the status, optionally with `Retry-After`.
        ///
        /// The request is not processed.
        case status(Int, retryAfter: Int? = nil)
        /// Status 403 with the reason `userRateLimitExceeded`.
        ///
        /// The request is not processed.
        case rateLimited
        /// The request is processed, and the connection closes before the response starts.
        case lostResponse
        /// An upload session accepts only this many bytes of the body, rounded down to 256 KiB, and reports this
        /// number.
        case partial(Int64)
        /// An upload session accepts this many bytes of the body, and the connection closes without a response.
        ///
        /// Other requests are not processed, and their connection closes immediately.
        case broken(Int64)
        /// An upload session accepts nothing and returns a new session URL.
        ///
        /// The old URL is no longer valid.
        case movedSession
        /// An upload session has been permanently removed.
        ///
        /// The status is 404 or 410.
        case sessionGone(Int)
        /// An upload session accepts the body but does not complete, and reports 256 KiB more than it received.
        case wrongRange
        /// The request is processed, and the connection closes after this many bytes of the response body.
        case truncatedResponse(Int64)
        /// A download returns the entire content even though the client requested a range.
        case ignoredRange
        /// From now on, a download behaves as if the file had changed, with a new entity tag and modification date.
        case changedFile
    }

    /// A fault for a token request.
    public enum TokenFault: Sendable, Hashable {
        /// Status 503, optionally with `Retry-After`.
        ///
        /// The grant is not affected.
        case unavailable(retryAfter: Int? = nil)
        /// An OAuth error with this code and status 400. The grant is not affected.
        case error(String)
        /// Status 200 with an HTML page, like the response of a captive portal.
        ///
        /// The grant is not affected.
        case html
        /// The request is processed, tokens are rotated, and the connection closes in the middle of the response.
        case truncatedResponse
        /// The request is processed, tokens are rotated, and no response is sent before the provider stops.
        case delayedResponse
    }

    /// A reason for rejecting all refreshes, using Google's error codes.
    public enum RefreshRefusal: Sendable, Hashable, CaseIterable {
        /// The organization requires the user to sign in again (`invalid_grant` with `invalid_rapt`).
        case reauthentication
        /// An administrator does not allow the client (`admin_policy_enforced`).
        case adminPolicy
        /// The client was deleted (`deleted_client`).
        case deletedClient
        /// The client secret was changed (`invalid_client`).
        case changedSecret

        /// The error response.
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

        /// Whether the error concerns the client rather than the refresh token.
        var isOfClient: Bool { [.deletedClient, .changedSecret].contains(self) }
    }
}
#endif
