// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
package import Tessera

/// A text format for records in stores that encrypt secrets but may return altered data.
///
/// A changed or truncated record is always detected.
///
/// ```
/// tessera 1          the format
/// refresh 000…       the refresh mark in hexadecimal, if there is one
/// {"format":1,…}     the record
/// 5f70bf18…          SHA-256 of everything above, in hexadecimal, without a trailing newline
/// ```
/// The first line and the digest are the same in every format, so an older program can tell a newer format from a
/// damaged record. The record and its mark are written together, so neither can be lost without the other. The digest
/// detects accidental damage only and does not authenticate the record.
package enum ChecksummedRecord {
    private static let format = 1
    private static let name = "tessera"
    private static let markName = "refresh"
    private static let newline = UInt8(ascii: "\n")
    private static let digestLength = 64

    /// Returns the text of a record and its refresh mark.
    package static func text(of record: SessionRecord) -> [UInt8] {
        var lines = "\(Self.name) \(Self.format)\n"
        if let mark = record.refreshMark { lines += "\(Self.markName) \(Hexadecimal.text(mark.bytes))\n" }
        let content = Array(lines.utf8) + record.encoded() + [Self.newline]
        return content + Self.digest(content[...])
    }

    /// Returns the record and its refresh mark after verifying the digest and the account.
    ///
    /// - Throws: `StoreError` with the code `newerFormat` or `corrupt`.
    package static func record(
        of account: AccountKey,
        in text: [UInt8],
        location: String
    ) throws -> SessionRecord {
        func damaged(_ words: String) -> StoreError { StoreError(.corrupt, location: location, detail: words) }
        var rest = text.dropLast(Self.digestLength)
        guard text.suffix(Self.digestLength).elementsEqual(Self.digest(rest)) else {
            throw damaged("its checksum does not match")
        }
        guard let format = Self.take(Self.name, from: &rest).flatMap({ Int($0) }), format > 0 else {
            throw damaged("it does not begin with a session header")
        }
        guard format <= Self.format else {
            throw StoreError(
                .newerFormat,
                location: location,
                detail: "format \(format), but only formats up to \(Self.format) are supported"
            )
        }
        var mark: RefreshMark?
        if let digits = Self.take(Self.markName, from: &rest) {
            mark = RefreshMark(bytes: Hexadecimal.bytes(digits))
            if mark == nil { throw damaged("its refresh mark is malformed") }
        }
        var record = try SessionRecord(decoding: Array(rest.dropLast()), location: location)
        guard AccountKey(record.account) == account else { throw damaged("it belongs to another account") }
        record.refreshMark = mark
        return record
    }

    /// Removes the first line if it begins with a name, and returns the rest of the line, or nil if it does not.
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
