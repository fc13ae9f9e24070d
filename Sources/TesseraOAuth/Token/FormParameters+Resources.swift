// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Where a token is meant to be used: the `resource` parameter, which may be there more than once.
///
/// - SeeAlso: [RFC 8707, section 2](https://www.rfc-editor.org/rfc/rfc8707.html#section-2)
extension FormParameters {
    /// Adds each resource, once; each has to be an absolute URI without a fragment.
    mutating func append(resources: [String]) throws(InvalidRequestError) {
        var seen: Set<String> = []
        for resource in resources where seen.insert(resource).inserted {
            guard let parts = URIParts(resource), parts.fragment == nil else {
                throw InvalidRequestError("resource", reason: "an absolute URI without a fragment is needed")
            }
            self.append("resource", resource)
        }
    }
}
