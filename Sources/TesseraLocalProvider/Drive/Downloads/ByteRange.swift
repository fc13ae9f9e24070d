// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// The header `Range` with one range of bytes (RFC 9110, section 14.1.2).
enum ByteRange: Sendable, Hashable {
    /// The whole, since there is no range, or none that is understood.
    case whole
    case part(first: Int64, count: Int64)
    case unsatisfiable

    init(_ header: String?, size: Int64) {
        guard let header, header.lowercased().hasPrefix("bytes=") else {
            self = .whole
            return
        }
        let sides = header.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard sides.count == 2, sides.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }) else {
            self = .whole
            return
        }
        switch (Int64(sides[0]), Int64(sides[1])) {
        case (let first?, _) where sides[1].isEmpty:
            self = first < size ? .part(first: first, count: size - first) : .unsatisfiable
        case (let first?, let last?):
            if last < first {
                self = .whole
            } else {
                self = first < size ? .part(first: first, count: min(last, size - 1) - first + 1) : .unsatisfiable
            }
        case (nil, let suffix?) where sides[0].isEmpty:
            self =
                suffix > 0 && size > 0
                ? .part(first: max(0, size - suffix), count: min(suffix, size)) : .unsatisfiable
        default:
            self = .whole
        }
    }
}
#endif
