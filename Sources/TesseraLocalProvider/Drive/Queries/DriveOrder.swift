// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The parameter `orderBy` of `files.list`: keys that count one after the other.
struct DriveOrder: Sendable, Hashable {
    enum Key: String, Sendable {
        case createdTime, folder, modifiedByMeTime, modifiedTime, name
        case naturalName = "name_natural"
        case quotaBytesUsed, recency, sharedWithMeTime, starred, viewedByMeTime
    }

    private var keys: [(key: Key, isDescending: Bool)] = []

    /// Without a text by name.
    init(_ text: String?) throws(APIFailure) {
        for part in (text ?? "name").split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split(separator: " ").map(String.init)
            guard (1...2).contains(words.count), let key = Key(rawValue: words[0]),
                words.count == 1 || words[1] == "desc"
            else { throw .invalid("orderBy") }
            self.keys.append((key, words.count == 2))
        }
    }

    func sorted(_ files: [DriveFile]) -> [DriveFile] {
        files.sorted { left, right in
            for (key, isDescending) in self.keys {
                let order = Self.compare(left, right, key)
                if order != 0 { return isDescending ? order > 0 : order < 0 }
            }
            return left.id < right.id
        }
    }

    static func == (left: Self, right: Self) -> Bool {
        left.keys.elementsEqual(right.keys) { $0.key == $1.key && $0.isDescending == $1.isDescending }
    }

    func hash(into hasher: inout Hasher) {
        for (key, isDescending) in self.keys {
            hasher.combine(key)
            hasher.combine(isDescending)
        }
    }

    private static func compare(_ left: DriveFile, _ right: DriveFile, _ key: Key) -> Int {
        switch key {
        case .name: self.compare(left.name.lowercased(), right.name.lowercased())
        case .naturalName: self.compareNaturally(left.name.lowercased()[...], right.name.lowercased()[...])
        case .createdTime: self.compare(left.createdTime, right.createdTime)
        case .modifiedTime, .modifiedByMeTime, .recency: self.compare(left.modifiedTime, right.modifiedTime)
        case .viewedByMeTime, .sharedWithMeTime:
            self.compare(left.viewedTime ?? .distantPast, right.viewedTime ?? .distantPast)
        // Folders and starred files come first.
        case .folder: self.compare(left.isFolder ? 0 : 1, right.isFolder ? 0 : 1)
        case .starred: self.compare(left.isStarred ? 0 : 1, right.isStarred ? 0 : 1)
        case .quotaBytesUsed: self.compare(left.size ?? 0, right.size ?? 0)
        }
    }

    private static func compare<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left == right ? 0 : left < right ? -1 : 1
    }

    /// Numbers in the names count as numbers: 2 comes before 10.
    private static func compareNaturally(_ left: Substring, _ right: Substring) -> Int {
        var (left, right) = (left, right)
        while let first = left.first, let second = right.first {
            let digits = (left.prefix(while: \.isASCIIDigit), right.prefix(while: \.isASCIIDigit))
            if digits.0.isEmpty || digits.1.isEmpty {
                if first != second { return self.compare(first, second) }
                (left, right) = (left.dropFirst(), right.dropFirst())
            } else {
                let numbers = (digits.0.drop { $0 == "0" }, digits.1.drop { $0 == "0" })
                let order = self.compare(numbers.0.count, numbers.1.count)
                if order != 0 { return order }
                if numbers.0 != numbers.1 { return self.compare(numbers.0, numbers.1) }
                (left, right) = (left.dropFirst(digits.0.count), right.dropFirst(digits.1.count))
            }
        }
        return self.compare(left.count, right.count)
    }
}
#endif
