// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import Testing

@Suite("File systems and system errors")
struct FileSystemTests {
    @Test("Names network file systems by their kernel numbers and none for a temporary directory")
    func networkFileSystems() throws {
        #expect(NetworkFileSystem.names[0x6969] == "NFS")
        #expect(NetworkFileSystem.names[0xFE53_4D42] == "SMB")
        #expect(NetworkFileSystem.names[0x6573_5546] == "FUSE")
        #expect(NetworkFileSystem.names[0xEF53] == nil)
        #expect(throws: SystemError(ENOENT, "statfs", "/does/not/exist")) {
            try NetworkFileSystem.name(at: "/does/not/exist")
        }
        #expect(try NetworkFileSystem.name(at: FileManager.default.temporaryDirectory.path) == nil)
    }

    @Test("The description of a system error names the call, the path and the reason")
    func description() {
        #expect("\(SystemError(ENOSPC, "write", "/disk/file"))" == "/disk/file: write: No space left on device")
    }
}
