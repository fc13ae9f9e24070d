// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraStores
internal import TesseraSupport

/// A way in which a disk, a person or another program damages a record in an archive.
///
/// A damage that a store cannot have, such as one of a file in a database, changes a byte of the record instead.
public enum StorageDamage: String, Sendable, Hashable, CaseIterable {
    /// A byte of the record is changed.
    case altered
    /// A byte of the record's header is changed.
    case alteredHeader
    /// The end of the record is missing.
    case shortened
    /// The record is empty.
    case emptied
    /// The record of another account takes the place of the record.
    case exchanged
    /// A newer version of the program has written the record.
    case newerFormat
    /// The record's header has a correct checksum but an unknown structure.
    case malformed
    /// A text in the record's header is longer than the header, or a mark is not hexadecimal.
    case malformedText
    /// A pipe is in the place of the file.
    case pipe
    /// A file that is longer than any record is in the place of the file.
    case huge
    /// The row's generation, or the attributes of the item, are changed.
    case alteredColumns
    /// The row or the item names another account.
    case renamed
    /// A column is empty, or an item cannot be decoded.
    case missing
    /// The row has a refresh mark that is not encrypted.
    case unencryptedMark

    /// Returns a record after this damage, which is different from the record.
    ///
    /// - Parameters:
    ///   - bytes: The record.
    ///   - other: The record of another account in the same store, or nil if there is none.
    ///   - position: Any number, which selects the byte that is changed.
    /// - Returns: The damaged record.
    func applied(to bytes: [UInt8], other: [UInt8]?, at position: Int) -> [UInt8] {
        guard !bytes.isEmpty else { return [0] }
        let isSealed = bytes.starts(with: "TESSERA\n".utf8)
        var damaged = bytes
        switch self {
        case .emptied: return []
        case .shortened: return Array(bytes.prefix(position % bytes.count))
        case .exchanged where other != nil && other != bytes: return other ?? []
        case .alteredHeader: damaged[position % min(40, bytes.count)] ^= 1
        case .newerFormat:
            return isSealed ? Self.header(bytes) { $0[9] = 9 } : Self.lines(bytes) { "tessera 9\n" + $0.dropFirst(10) }
        case .malformed:
            return isSealed
                ? Self.header(bytes) { $0[9] = 0 } : Self.lines(bytes) { "tessera none\n" + $0.dropFirst(10) }
        case .malformedText:
            return isSealed
                ? Self.header(bytes) { $0[30] = 255 }
                : Self.lines(bytes) { "tessera 1\nrefresh \(position % 2 == 0 ? "none" : "00")\n" + $0.dropFirst(10) }
        default: damaged[position % bytes.count] ^= 1
        }
        return damaged
    }

    /// Changes the header of an encrypted record, and makes its checksum match.
    private static func header(_ bytes: [UInt8], _ change: (inout [UInt8]) -> Void) -> [UInt8] {
        guard bytes.count > 14 else { return [] }
        let length = bytes[10..<14].reduce(0) { $0 << 8 | Int($1) }
        guard length > 30, bytes.count > 22 + length else { return [] }
        var header = Array(bytes[..<(14 + length)])
        change(&header)
        return header + Hexadecimal.bytes(Hexadecimal.sha256(of: header)).prefix(8) + bytes[(22 + length)...]
    }

    /// Changes the text of a record with a checksum, and makes the checksum match.
    private static func lines(_ bytes: [UInt8], _ change: (Substring) -> String) -> [UInt8] {
        let text = Array(change(String(decoding: bytes.dropLast(64), as: UTF8.self)[...]).utf8)
        return text + Array(Hexadecimal.sha256(of: text).utf8)
    }
}

/// A condition of an archive, which lasts for a number of seconds.
public enum StorageCondition: String, Sendable, Hashable, CaseIterable {
    /// The directory belongs to another user, or the keyring denies access.
    case foreign
    /// Other users can write to the directory, or the keyring is locked.
    case shared
    /// The disk is mounted read-only, or the keyring's disk is full.
    case readOnly
    /// A file is in the place of the directory, or the keyring does not work.
    case replaced
    /// The data that a probe has written is lost.
    case forgetful
    /// Changes of the disk, calls of the keyring or connections to the database fail at random.
    case failing
    /// The program is not signed with an access group of the keyring.
    case unsigned
    /// A program that does not use the locks adds the next new item first.
    case overtaken

    var disk: SimulatedVolume.Condition {
        switch self {
        case .foreign: .foreign
        case .shared: .shared
        case .readOnly: .readOnly
        case .replaced: .replaced
        case .forgetful: .forgetful
        case .failing, .unsigned, .overtaken: .sound
        }
    }

    /// The status of every call of a keyring, or nil if the keyring works.
    var status: Int32? {
        switch self {
        case .foreign: KeychainStatus.authenticationFailed
        case .shared: KeychainStatus.interactionNotAllowed
        case .readOnly: KeychainStatus.diskFull
        case .replaced: KeychainStatus.invalidParameter
        case .unsigned: KeychainStatus.missingEntitlement
        case .forgetful, .failing, .overtaken: nil
        }
    }
}

extension SimulatedVolume {
    /// Damages the record of an account in a directory, and returns whether there is one.
    func damage(
        _ account: AccountKey,
        _ other: AccountKey,
        in directory: String,
        _ damage: StorageDamage,
        at position: Int
    )
        -> Bool
    {
        func inode(_ account: AccountKey) -> Inode? { self.inode(at: "\(directory)/\(account.name).session") }
        guard let file = inode(account) else { return false }
        let content = inode(other)?.state.withLock { $0.contents }
        file.state.withLock { state in
            switch damage {
            case .pipe: state.kind = .pipe
            case .huge: state.kind = .huge
            default:
                state.contents = damage.applied(to: state.contents, other: content, at: position)
                (state.durable, state.changes) = (state.contents, [])
            }
        }
        return true
    }
}

extension SimulatedKeyring {
    func setStatus(_ status: Int32?) { self.state.withLock { $0.status = status } }

    func setForgetful(_ isForgetful: Bool) { self.state.withLock { $0.isForgetful = isForgetful } }

    func setOvertaken(_ isOvertaken: Bool) { self.state.withLock { $0.isOvertaken = isOvertaken } }

    /// Damages the item of an account, and returns whether there is one.
    func damage(
        _ account: AccountKey,
        _ other: AccountKey,
        in service: String,
        _ damage: StorageDamage,
        at position: Int
    )
        -> Bool
    {
        self.state.withLock { state in
            let key = Key(service: service, account: account.name)
            guard var item = state.items[key] else { return false }
            let content = state.items[Key(service: service, account: other.name)]
            switch damage {
            case .missing: state.undecodable.insert(key)
            case .alteredColumns: item.attributes = damage.applied(to: item.attributes, other: nil, at: position)
            case .renamed: item.attributes = content?.attributes ?? []
            default: item.data = damage.applied(to: item.data, other: content?.data, at: position)
            }
            state.items[key] = item
            return true
        }
    }
}
