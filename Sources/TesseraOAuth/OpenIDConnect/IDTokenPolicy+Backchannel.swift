// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON

extension IDTokenPolicy {
    /// CIBA Core 1.0, section 10.3.1: the claim is there where the token was pushed; where it is there, it has to be ours.
    func checkAuthenticationRequest(_ claims: IDTokenClaims) throws(ProtocolViolationError) {
        guard let expected = self.authenticationRequestID,
            let claim = claims.document["urn:openid:params:jwt:claim:auth_req_id"]
        else { return }
        let fits = claim.string.map { id in expected.withUnredacted { id.isExactly($0) } } ?? false
        guard !fits else { return }
        throw ProtocolViolationError(
            .idTokenAuthenticationRequest,
            expected: "the auth_req_id that was asked about",
            actual: "another",
            section: "OpenID Connect CIBA Core 1.0, section 10.3.1"
        )
    }
}
