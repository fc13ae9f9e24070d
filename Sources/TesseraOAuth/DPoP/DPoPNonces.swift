// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import HTTPTypes
internal import TesseraSupport

/// The latest DPoP nonce from each server, which the next proof must carry.
///
/// A nonce is sent only to the origin that issued it. Nonces are retained for the 100 most recently used origins.
///
/// - SeeAlso: [RFC 9449, sections 8 and 9](https://www.rfc-editor.org/rfc/rfc9449.html#section-8)
public final class DPoPNonces: Sendable {
    /// The maximum number of origins.
    package static let capacity = 100
    /// The maximum length of a nonce, in bytes.
    package static let maximumLength = 512

    /// The origins and their nonces, with the most recently used origin last.
    private let entries = Mutex<[(origin: String, nonce: String)]>([])

    /// Creates an empty collection.
    public init() {}

    /// Returns the nonce for a request, or nil if the server has not issued one.
    func nonce(for request: HTTPRequest) -> String? {
        guard let origin = request.origin else { return nil }
        return self.entries.withLock { entries in
            guard let index = entries.lastIndex(where: { $0.origin == origin }) else { return nil }
            if index != entries.endIndex - 1 { entries.append(entries.remove(at: index)) }
            return entries.last?.nonce
        }
    }

    /// Stores the nonce in a response with any status, and returns false if there is no usable nonce.
    func updateNonce(from response: HTTPResponse, to request: HTTPRequest) -> Bool {
        guard let nonce = Self.nonce(in: response), let origin = request.origin else { return false }
        self.entries.withLock { entries in
            entries.removeAll { $0.origin == origin }
            entries.append((origin, nonce))
            if entries.count > Self.capacity { entries.removeFirst() }
        }
        return true
    }

    /// Returns the nonce in a response if it is valid (RFC 9449, section 8.1), not repeated and not too long.
    static func nonce(in response: HTTPResponse) -> String? {
        let values = response.headerFields[values: .dpopNonce]
        guard values.count == 1, let nonce = values.first, (1...Self.maximumLength).contains(nonce.utf8.count),
            nonce.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
        else { return nil }
        return nonce
    }
}

/// The detection of responses that require a DPoP nonce.
package enum DPoPNonceChallenge {
    /// Returns whether a resource requires a nonce, indicated by status 401 with the challenge `DPoP
    /// error="use_dpop_nonce"`.
    ///
    /// - SeeAlso: [RFC 9449, section 9](https://www.rfc-editor.org/rfc/rfc9449.html#section-9)
    package static func isMade(by response: HTTPResponse) -> Bool {
        guard response.status.code == 401 else { return false }
        return response.headerFields[values: .wwwAuthenticate].lazy.flatMap { AuthenticationChallenge.parse($0) }
            .contains {
                $0.scheme.lowercased() == "dpop"
                    && $0.parameters["error"]?.lowercased() == OAuthError.Code.useDPoPNonce.rawValue
            }
    }

    /// Returns whether a response requires a nonce and supplies it.
    ///
    /// An authorization server responds with 400 or 401 and the error `use_dpop_nonce`. For a resource, see
    /// ``isMade(by:)``.
    ///
    /// - SeeAlso: [RFC 9449, sections 8 and 9](https://www.rfc-editor.org/rfc/rfc9449.html#section-8)
    static func isSatisfiable(_ response: HTTPResponse, body: [UInt8], _ use: DPoPUse) -> Bool {
        guard DPoPNonces.nonce(in: response) != nil else { return false }
        switch use {
        case .none: return false
        case .accessToken: return Self.isMade(by: response)
        case .possession:
            guard response.status.code == 400 || response.status.code == 401 else { return false }
            let error = ErrorResponseParser.error(response, body: body, endpoint: "", sent: FormParameters())
            return OAuthError.Code.useDPoPNonce ~= error
        }
    }
}
