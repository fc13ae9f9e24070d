// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

extension RedirectURI {
    /// The parameters of a redirect to this URI, each there once; why it is none of ours otherwise.
    ///
    /// What stands in the fragment is never read.
    func parameters(of redirect: String) -> Result<FormParameters, ProtocolViolation> {
        let section = "RFC 6749, section 3.1"
        guard redirect.utf8.count <= 1 << 16, let parts = URIParts(redirect), self.matches(parts) else {
            return .failure(ProtocolViolation(.redirectURI, expected: "the redirect URI", section: section))
        }
        do {
            let query = try FormParameters(redirect: parts.query ?? "")
            let own = try FormParameters(decoding: self.parts.query ?? "")
            guard query.repeatedName == nil, own.parameters.allSatisfy(query.parameters.contains) else {
                return .failure(ProtocolViolation(.redirectFormat, expected: "each parameter once", section: section))
            }
            return .success(query)
        } catch {
            return .failure(
                ProtocolViolation(
                    .redirectFormat,
                    expected: "form-encoded parameters",
                    actual: error.rawValue,
                    section: section
                )
            )
        }
    }
}
