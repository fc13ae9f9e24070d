// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
extension LocalProviderOptions {
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
}
#endif
