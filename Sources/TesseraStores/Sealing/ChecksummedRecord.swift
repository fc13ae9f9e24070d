// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
package import Tessera

/// A record as text for a store that keeps secrets, but may give back other bytes than it was given: none that changed or
/// is missing goes unnoticed.
///
/// ```
/// tessera 1          the format
/// refresh 000…       the mark in hexadecimal, while there is one
/// {"format":1,…}     the record
/// 5f70bf18…          SHA-256 of all before, in hexadecimal; no newline follows
/// ```
/// First line and digest are the same in every format: an older program can tell a newer text from a damaged one. Record
/// and mark change together, so that a mark can neither outlive its record nor be lost with it. The digest catches
/// damage; it proves nothing.
package enum ChecksummedRecord {
    private static let format = 1
    private static let name = "tessera"
    private static let markName = "refresh"
    private static let newline = UInt8(ascii: "\n")
    private static let digestLength = 64

    /// The text of a record and its mark.
    package static func text(of record: SessionRecord) -> [UInt8] {
        var lines = "\(Self.name) \(Self.format)\n"
        if let mark = record.refreshMark { lines += "\(Self.markName) \(Hexadecimal.text(mark.bytes))\n" }
        let content = Array(lines.utf8) + record.encoded() + [Self.newline]
        return content + Self.digest(content[...])
    }

    /// The record with its mark, proved to be this account's and as it was written.
    ///
    /// - Throws: `newerFormat`, `corrupt`.
    package static func record(
        of account: AccountKey,
        in text: [UInt8],
        place: String
    ) throws -> SessionRecord {
        func damaged(_ words: String) -> StoreError { StoreError(.corrupt, place: place, detail: words) }
        var rest = text.dropLast(Self.digestLength)
        guard text.suffix(Self.digestLength).elementsEqual(Self.digest(rest)) else {
            throw damaged("it is not what was written")
        }
        guard let format = Self.take(Self.name, from: &rest).flatMap({ Int($0) }), format > 0 else {
            throw damaged("it does not begin as a session does")
        }
        guard format <= Self.format else {
            throw StoreError(
                .newerFormat,
                place: place,
                detail: "format \(format), known are those up to \(Self.format)"
            )
        }
        var mark: RefreshMark?
        if let digits = Self.take(Self.markName, from: &rest) {
            mark = RefreshMark(bytes: Hexadecimal.bytes(digits))
            if mark == nil { throw damaged("its mark makes no sense") }
        }
        var record = try SessionRecord(decoding: Array(rest.dropLast()), place: place)
        guard AccountKey(record.account) == account else { throw damaged("it is another account's") }
        record.refreshMark = mark
        return record
    }

    /// What follows a name on the first line, which is taken away; nil where the text does not begin with that name.
    private static func take(_ name: String, from text: inout ArraySlice<UInt8>) -> String? {
        let beginning = Array("\(name) ".utf8)
        guard text.starts(with: beginning), let end = text.firstIndex(of: Self.newline) else { return nil }
        defer { text = text[(end + 1)...] }
        return String(decoding: text[..<end].dropFirst(beginning.count), as: UTF8.self)
    }

    private static func digest(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        Array(Hexadecimal.text(SHA256.hash(data: bytes)).utf8)
    }
}
