// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import HTTPTypes

/// What a fetcher cannot tell from a request.
public struct CallOptions: Sendable, Hashable {
    /// Whether the call may be made twice without harm; nil for what its method and fields say.
    ///
    /// GET, HEAD, OPTIONS, TRACE, PUT and DELETE may, and a call with `Idempotency-Key` or `If-Match`.
    public var isIdempotent: Bool?
    /// Calls with a higher one get their turn at a host first, where ``FetchSettings/limiter`` makes them wait.
    public var priority: Int
    /// In place of the fetcher's own.
    public var backoff: Backoff?
    /// Whether a token goes with the call; an API that is open to all is called with a key instead.
    package var hasToken = true

    /// Nothing unusual.
    public init(isIdempotent: Bool? = nil, priority: Int = 0, backoff: Backoff? = nil) {
        self.isIdempotent = isIdempotent
        self.priority = priority
        self.backoff = backoff
    }

    package func isIdempotent(_ request: HTTPRequest) -> Bool {
        if let isIdempotent { return isIdempotent }
        switch request.method {
        case .get, .head, .options, .trace, .put, .delete: return true
        default: break
        }
        let fields = request.headerFields
        return fields[.ifMatch].map { $0 != "*" } == true
            || HTTPField.Name("Idempotency-Key").map { fields[$0] != nil } == true
    }
}
