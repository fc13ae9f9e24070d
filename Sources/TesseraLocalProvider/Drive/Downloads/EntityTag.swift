// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// The strong validators of a content, and what a request's conditions say about them (RFC 9110, section 13).
struct EntityTag: Sendable, Hashable {
    /// The tag with its quotation marks.
    var text: String
    /// The value of `Last-Modified`.
    var lastModified: String

    /// Whether a range may be served: there is no `If-Range`, or it names exactly this content.
    func allowsRange(_ ifRange: String?) -> Bool {
        guard let ifRange else { return true }
        return ifRange.trimmed == self.text || ifRange.trimmed == self.lastModified
    }

    /// Whether the client has this content already, by `If-None-Match`.
    func matches(_ ifNoneMatch: [String]) -> Bool {
        ifNoneMatch.flatMap { $0.split(separator: ",") }
            .contains { item in
                let tag = item.trimmed
                return tag == "*" || tag == self.text || tag == "W/" + self.text
            }
    }
}
#endif
