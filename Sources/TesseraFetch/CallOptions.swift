// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import HTTPTypes
internal import TesseraOAuth

/// Options of one call.
public struct CallOptions: Sendable, Hashable {
    /// Whether the call can be made twice without harm; nil to decide by its method and fields.
    ///
    /// GET, HEAD, OPTIONS, TRACE, PUT and DELETE can, and calls with `Idempotency-Key` or `If-Match`.
    public var isIdempotent: Bool?
    /// Calls with a higher priority go first where ``FetchSettings/limiter`` makes calls wait.
    public var priority: Int
    /// Replaces the fetcher's own backoff.
    public var backoff: Backoff?
    /// Whether the call has a token; public APIs are called with a key instead.
    package var hasToken = true

    /// Creates options.
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
            || fields.contains(Self.idempotencyKey)
    }

    private static let idempotencyKey = HTTPField.Name(known: "Idempotency-Key")
}
