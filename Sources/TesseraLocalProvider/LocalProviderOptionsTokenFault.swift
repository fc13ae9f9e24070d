// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
extension LocalProviderOptions {
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
}
#endif
