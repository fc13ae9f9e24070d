// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
internal import CTesseraPOSIX
#endif

/// Network file systems, on which locks may not work across machines.
///
/// FUSE is included because its files can be on another machine.
package enum NetworkFileSystem {
    /// The names by file system type, from `linux/magic.h` and the file systems' headers.
    package static let names: [UInt32: String] = [
        0x6969: "NFS", 0x517B: "SMB", 0xFE53_4D42: "SMB", 0xFF53_4D42: "SMB", 0x6573_5546: "FUSE",
        0x0102_1997: "9P", 0x5346_414F: "AFS", 0x6B41_4653: "AFS", 0x00C3_6400: "Ceph", 0x7375_7245: "Coda",
        0x564C: "NCP", 0x0BD0_0BD0: "Lustre", 0x4750_4653: "GPFS", 0x0116_1970: "GFS2", 0x7461_636F: "OCFS2",
    ]

    /// Returns the name of the network file system that contains a path, or nil for a local file system.
    ///
    /// The result is always nil in an app's container (on iOS, tvOS, watchOS, visionOS and Mac Catalyst).
    package static func name(at path: String) throws(SystemError) -> String? {
        #if canImport(Darwin) && !(canImport(AppKit) && !targetEnvironment(macCatalyst))
        // An app's container is on the device. This call would also require an entry in the app's privacy manifest.
        return nil
        #elseif canImport(Darwin)
        var information = statfs()
        if FileSystem.retrying({ statfs(path, &information) }) != 0 { throw SystemError(errno, "statfs", path) }
        if information.f_flags & UInt32(MNT_LOCAL) != 0 { return nil }
        return withUnsafeBytes(of: information.f_fstypename) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        #else
        var type: UInt32 = 0
        if FileSystem.retrying({ tessera_file_system_type(path, &type) }) != 0 {
            throw SystemError(errno, "statfs", path)
        }
        return Self.names[type]
        #endif
    }
}
