// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What a query asks of a file.
indirect enum DriveCondition: Sendable, Hashable {
    enum Comparison: String, Sendable {
        case equal = "="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="

        func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
            switch self {
            case .equal: left == right
            case .notEqual: left != right
            case .less: left < right
            case .lessOrEqual: left <= right
            case .greater: left > right
            case .greaterOrEqual: left >= right
            }
        }
    }

    enum Time: String, Sendable {
        case createdTime, modifiedTime, viewedByMeTime, sharedWithMeTime
    }

    enum Flag: String, Sendable {
        case trashed, starred, sharedWithMe
    }

    case name(Comparison, String)
    case nameContains(String)
    case mimeType(Comparison, String)
    case mimeTypeContains(String)
    case fullText(String)
    case time(Time, Comparison, Date)
    case flag(Flag, Bool)
    case inParents(String)
    case people(email: String, atLeast: DriveRole)
    case property(name: String, value: String, isPrivate: Bool)
    case visibility(isLimited: Bool)
    case and(DriveCondition, DriveCondition)
    case or(DriveCondition, DriveCondition)
    case not(DriveCondition)

    func matches(_ file: DriveFile, for access: DriveAccess) -> Bool {
        switch self {
        case .name(let comparison, let name): comparison.holds(file.name.lowercased(), name.lowercased())
        case .nameContains(let part): Self.hasWord(file.name, startingWith: part)
        case .mimeType(let comparison, let type): comparison.holds(file.mimeType, type)
        case .mimeTypeContains(let part): file.mimeType.contains(part)
        case .fullText(let text):
            text.split(separator: " ")
                .allSatisfy { word in
                    [file.name, file.description ?? ""].contains { Self.hasWord($0, startingWith: String(word)) }
                }
        case .time(let field, let comparison, let date):
            Self.time(field, of: file).map { comparison.holds($0, date) } ?? false
        case .flag(.trashed, let value): file.isInTrash == value
        case .flag(.starred, let value): file.isStarred == value
        case .flag(.sharedWithMe, let value): !file.isOwned(by: access.account) == value
        case .inParents(let id): file.parents.contains(id)
        case .people(let email, let role): Self.has(email, role, file, access)
        case .property(let name, let value, let isPrivate):
            (isPrivate ? file.applicationProperties[access.clientID] ?? [:] : file.properties)[name] == value
        case .visibility(let isLimited): file.allPermissions(access).contains { $0.type == .anyone } != isLimited
        case .and(let left, let right): left.matches(file, for: access) && right.matches(file, for: access)
        case .or(let left, let right): left.matches(file, for: access) || right.matches(file, for: access)
        case .not(let condition): !condition.matches(file, for: access)
        }
    }

    private static func time(_ field: Time, of file: DriveFile) -> Date? {
        switch field {
        case .createdTime: file.createdTime
        case .modifiedTime: file.modifiedTime
        case .viewedByMeTime: file.viewedTime
        case .sharedWithMeTime: nil
        }
    }

    private static func has(
        _ email: String,
        _ role: DriveRole,
        _ file: DriveFile,
        _ access: DriveAccess
    ) -> Bool {
        let isCaller = email == "me" || email.lowercased() == access.account.email.lowercased()
        if isCaller { return file.role(of: access.account) ?? .reader >= role }
        return file.allPermissions(access).contains { $0.email?.lowercased() == email.lowercased() && $0.role >= role }
    }

    /// Google matches the beginnings of words only: `contains 'Hello'` finds `HelloWorld`, `'World'` does not.
    private static func hasWord(_ text: String, startingWith part: String) -> Bool {
        let (text, part) = (text.lowercased(), part.lowercased())
        if part.isEmpty { return true }
        var rest = text[...]
        while let range = rest.firstRange(of: part) {
            let before = text[..<range.lowerBound].last
            if before.map({ !$0.isLetter && !$0.isNumber }) ?? true { return true }
            rest = rest[rest.index(after: range.lowerBound)...]
        }
        return false
    }
}
#endif
