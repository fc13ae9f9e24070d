// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
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
}
#endif
