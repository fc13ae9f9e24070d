// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif
internal import Tessera

/// The users of this machine, as errors name them.
enum FileOwner {
    /// `ada (uid 1000)`, or `uid 1000` for a user whose name is not known or is not a plain one.
    static func description(of number: UInt32) -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        guard getpwuid_r(uid_t(number), &entry, &buffer, buffer.count, &found) == 0, found != nil,
            let pointer = entry.pw_name
        else { return "uid \(number)" }
        let name = String(cString: pointer)
        let isPlain = name.utf8.allSatisfy { 0x21...0x7E ~= $0 }
        return isPlain && !name.isEmpty ? "\(name) (uid \(number))" : "uid \(number)"
    }
}

extension StoreError {
    /// A file or a directory of a store belongs to another user.
    static func otherOwner(_ owner: UInt32, of path: String, status: Int32? = nil) -> StoreError {
        let process = FileOwner.description(of: UInt32(geteuid()))
        return StoreError(
            .otherOwner,
            place: path,
            status: status,
            detail: "its owner is \(FileOwner.description(of: owner)), and this process runs as \(process)"
        )
    }

    /// The error of a system call that the system did not permit: it names the owner of the place, or of the directory
    /// above it that keeps this user out, where that is another user.
    static func denied(_ status: Int32, at path: String) -> StoreError? {
        var place: String? = path.hasPrefix("/") ? path : nil
        while let current = place {
            var information = stat()
            if lstat(current, &information) == 0 {
                let owner = FileStatus(information)
                return owner.isOwn ? nil : .otherOwner(owner.owner, of: current, status: status)
            }
            place = FileSystem.parent(of: current)
        }
        return nil
    }
}
