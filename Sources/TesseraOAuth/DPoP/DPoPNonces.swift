// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import HTTPTypes
internal import TesseraSupport

/// The newest nonce of each server, which the next proof to it has to carry.
///
/// A nonce goes back to the origin that gave it and to no other. Of a hundred origins the nonces are kept; the one used
/// longest ago gives way.
///
/// - SeeAlso: [RFC 9449, sections 8 and 9](https://www.rfc-editor.org/rfc/rfc9449.html#section-8)
public final class DPoPNonces: Sendable {
    /// How many origins are remembered.
    package static let capacity = 100
    /// The longest nonce that is taken, in bytes.
    package static let maximumLength = 512

    /// The one used last stands last.
    private let entries = Mutex<[(origin: String, nonce: String)]>([])

    /// No nonces.
    public init() {}

    /// The nonce that a request has to carry, nil where its server gave none.
    func nonce(for request: HTTPRequest) -> String? {
        guard let origin = request.origin else { return nil }
        return self.entries.withLock { entries in
            guard let index = entries.lastIndex(where: { $0.origin == origin }) else { return nil }
            if index != entries.endIndex - 1 { entries.append(entries.remove(at: index)) }
            return entries.last?.nonce
        }
    }

    /// Takes the nonce of a response, whatever its status; false where it has none that may be used.
    func learn(from response: HTTPResponse, to request: HTTPRequest) -> Bool {
        guard let nonce = Self.nonce(in: response), let origin = request.origin else { return false }
        self.entries.withLock { entries in
            entries.removeAll { $0.origin == origin }
            entries.append((origin, nonce))
            if entries.count > Self.capacity { entries.removeFirst() }
        }
        return true
    }

    /// The usable nonce of a response: `1*NQCHAR` (RFC 9449, section 8.1), one, and not too long.
    static func nonce(in response: HTTPResponse) -> String? {
        let values = response.headerFields[values: .dpopNonce]
        guard values.count == 1, let nonce = values.first, (1...Self.maximumLength).contains(nonce.utf8.count),
            nonce.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
        else { return nil }
        return nonce
    }
}

/// A server's answer that a proof has to carry the nonce that comes with the answer.
package enum DPoPNonceDemand {
    /// Whether a resource demands a nonce: 401, and one of its challenges is `DPoP error="use_dpop_nonce"`.
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

    /// Whether an answer to a request demands a nonce and brings it: at an authorization server 400 or 401 with the error
    /// `use_dpop_nonce`, at a resource as ``isMade(by:)``.
    ///
    /// - SeeAlso: [RFC 9449, sections 8 and 9](https://www.rfc-editor.org/rfc/rfc9449.html#section-8)
    static func canBeMet(_ response: HTTPResponse, body: [UInt8], _ use: DPoPUse) -> Bool {
        guard DPoPNonces.nonce(in: response) != nil else { return false }
        switch use {
        case .none: return false
        case .accessToken: return Self.isMade(by: response)
        case .possession:
            guard response.status.code == 400 || response.status.code == 401 else { return false }
            let error = OAuthErrorResponse.error(response, body: body, endpoint: "", sent: FormParameters())
            return OAuthError.Code.useDPoPNonce ~= error
        }
    }
}
