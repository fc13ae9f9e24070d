// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// What somebody may do with a file; each role may do what those before it may.
enum DriveRole: String, Sendable, Hashable, Comparable, CaseIterable {
    case reader, commenter, writer, fileOrganizer, organizer, owner

    static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
#endif
