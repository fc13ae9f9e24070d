// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import HTTPTypes

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
