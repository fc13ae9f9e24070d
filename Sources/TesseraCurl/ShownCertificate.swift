// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc) || canImport(Musl)
internal import TesseraOAuth
internal import TesseraSupport

extension ServerCertificate {
    private static let organization: [UInt8] = [0x55, 0x04, 0x0A]
    private static let commonName: [UInt8] = [0x55, 0x04, 0x03]

    /// Parses a PEM certificate, or returns nil if the text is not a certificate.
    ///
    /// libcurl also provides the names and dates as text, but the format depends on the TLS library, and the names are
    /// ambiguous.
    ///
    /// - SeeAlso: [RFC 5280, section 4.1](https://www.rfc-editor.org/rfc/rfc5280.html#section-4.1)
    init?(pem: String) {
        guard let begin = pem.firstRange(of: "-----BEGIN CERTIFICATE-----"),
            let end = pem[begin.upperBound...].firstRange(of: "-----END CERTIFICATE-----"),
            let bytes = Data(base64Encoded: pem[begin.upperBound..<end.lowerBound].filter { !$0.isWhitespace })
        else { return nil }
        var file = DERReader(Array(bytes)[...])
        guard var certificate = file.sequence(), var body = certificate.sequence() else { return nil }
        // Skip the optional version, the serial number and the signature algorithm.
        if body.nextTag == 0xA0 { _ = body.element() }
        guard body.element() != nil, body.element() != nil, let issuer = body.sequence(), var span = body.sequence(),
            let from = span.element().flatMap(Self.date), let until = span.element().flatMap(Self.date)
        else { return nil }
        self.init(issuer: Self.name(issuer), validFrom: from, validUntil: until)
    }

    /// Returns the organization in a distinguished name, or its common name if there is no organization.
    private static func name(_ names: DERReader) -> String? {
        var names = names
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

    /// Parses `YYMMDDHHMMSSZ` (UTCTime, 1950 to 2049) or `YYYYMMDDHHMMSSZ` (GeneralizedTime).
    private static func date(_ element: (tag: UInt8, content: ArraySlice<UInt8>)) -> Date? {
        var digits = element.content.dropLast()
        guard element.content.last == UInt8(ascii: "Z"), digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        func number(_ count: Int) -> Int {
            defer { digits = digits.dropFirst(count) }
            return digits.prefix(count).reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
        let year: Int
        switch (element.tag, digits.count) {
        case (0x17, 12):
            let short = number(2)
            year = short < 50 ? 2000 + short : 1900 + short
        case (0x18, 14):
            year = number(4)
        default:
            return nil
        }
        guard let day = CalendarDay(year: year, month: number(2), day: number(2)) else { return nil }
        let (hour, minute, second) = (number(2), number(2), number(2))
        guard hour < 24, minute < 60, second < 60 else { return nil }
        let seconds = day.daysSince1970 * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
        return Date(timeIntervalSince1970: Double(seconds))
    }
}

/// A reader that returns the elements of DER data in order.
///
/// It returns nil at the end and for invalid data.
private struct DERReader {
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
