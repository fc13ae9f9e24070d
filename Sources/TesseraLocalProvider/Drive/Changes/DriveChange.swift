// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The last change of a file, as `changes.list` tells it.
struct DriveChange: Sendable {
    var number: Int
    var time: Date
    /// The file as it is, or as it was when it was removed.
    var file: DriveFile
    var isRemoved: Bool
}
#endif
