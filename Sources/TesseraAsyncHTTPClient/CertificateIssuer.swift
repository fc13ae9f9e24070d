// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient && !canImport(UIKit)
/// Reads who signed a certificate.
///
/// - SeeAlso: [RFC 5280, section 4.1](https://www.rfc-editor.org/rfc/rfc5280.html#section-4.1)
enum CertificateIssuer {
    private static let organization: [UInt8] = [0x55, 0x04, 0x0A]
    private static let commonName: [UInt8] = [0x55, 0x04, 0x03]

    /// The issuer's organisation, else its common name; nil for bytes that are no certificate.
    static func name(inDER bytes: [UInt8]) -> String? {
        var file = DERReader(bytes[...])
        guard var certificate = file.sequence(), var body = certificate.sequence() else { return nil }
        // The version may be left out; then come the serial number and the algorithm.
        if body.nextTag == 0xA0 { _ = body.element() }
        guard body.element() != nil, body.element() != nil, var names = body.sequence() else { return nil }
        var found: [[UInt8]: String] = [:]
        while let set = names.element(), set.tag == 0x31 {
            var values = DERReader(set.content)
            while var pair = values.sequence() {
                guard let identifier = pair.element(), identifier.tag == 0x06, let value = pair.element() else {
                    return nil
                }
                found[Array(identifier.content)] = String(decoding: value.content, as: UTF8.self)
            }
        }
        return found[Self.organization] ?? found[Self.commonName]
    }
}

/// Elements of DER, one after another; nil at the end, and for what is none.
struct DERReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.rest = bytes }

    var nextTag: UInt8? { self.rest.first }

    mutating func sequence() -> DERReader? {
        guard self.nextTag == 0x30 else { return nil }
        return self.element().map { DERReader($0.content) }
    }

    mutating func element() -> (tag: UInt8, content: ArraySlice<UInt8>)? {
        var bytes = self.rest
        guard let tag = bytes.popFirst(), let first = bytes.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let count = Int(first & 0x7F)
            guard 1...3 ~= count, bytes.count >= count else { return nil }
            length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            bytes = bytes.dropFirst(count)
        }
        guard bytes.count >= length else { return nil }
        self.rest = bytes.dropFirst(length)
        return (tag, bytes.prefix(length))
    }
}
#endif
