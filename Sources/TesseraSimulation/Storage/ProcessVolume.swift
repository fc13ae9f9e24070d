// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// A machine's disk as one of its processes sees it.
///
/// The process can be killed before each operation. From then on, no operation has an effect.
struct ProcessVolume: Volume {
    let volume: SimulatedVolume
    let process: SimulatedProcess

    func file(at path: String, writing: Bool, creating: Bool) throws(SystemError) -> (any VolumeFile)? {
        try self.check("open", path)
        if let inode = self.volume.inode(at: path) { return ProcessFile(path: path, inode: inode, volume: self) }
        guard creating else { return nil }
        try self.checkSpace("open", path)
        return ProcessFile(path: path, inode: self.volume.create(path), volume: self)
    }

    func contents(of path: String, limit: Int) throws(SystemError) -> [UInt8]? {
        guard let file = try self.file(at: path, writing: false, creating: false) else { return nil }
        switch self.volume.inode(at: path)?.state.withLock({ $0.kind }) {
        case .pipe: throw SystemError(.notRegular, path: path, detail: "it is not a regular file")
        case .huge: throw SystemError(.tooLong, path: path, detail: "it is longer than \(limit) bytes")
        default: break
        }
        let bytes = try file.bytes(at: 0, count: limit)
        return self.volume.condition == .forgetful && path.hasSuffix("/probe.moved") ? [] : bytes
    }

    func move(_ old: String, to new: String) throws(SystemError) {
        try self.checkChange("rename", new)
        self.volume.move(old, to: new)
    }

    func remove(_ path: String) throws(SystemError) {
        try self.checkChange("unlink", path)
        self.volume.remove(path)
    }

    func synchronize(directory path: String) throws(SystemError) {
        try self.checkChange("fsync", path)
        self.volume.synchronizeDirectory()
    }

    func makeDirectory(_ path: String) throws(SystemError) {
        try self.check("mkdir", path)
        self.volume.makeDirectory(path)
    }

    func checkDirectory(_ path: String) throws(SystemError) -> Bool {
        try self.check("stat", path)
        return self.volume.hasDirectory(path)
    }

    func names(in path: String) throws(SystemError) -> [String]? {
        try self.check("opendir", path)
        return self.volume.hasDirectory(path) ? self.volume.names(in: path) : nil
    }

    func size(of path: String) throws(SystemError) -> Int64? {
        try self.check("stat", path)
        return self.volume.inode(at: path).map { Int64($0.state.withLock { $0.contents.count }) }
    }

    func resolved(_ path: String) -> String { path }

    func excludeFromBackup(_ path: String) {}

    func lock(_ path: String) throws(SystemError) -> any VolumeLock {
        try self.check("open", path)
        return ProcessLock(path: path, inode: self.volume.inode(at: path) ?? self.volume.create(path), volume: self)
    }

    /// - Throws: `SystemError` if the process has been killed.
    func check(_ call: String, _ path: String) throws(SystemError) {
        guard self.process.mayOperate() else { throw SystemError(EIO, call, path) }
        switch self.volume.condition {
        case .sound, .forgetful, .readOnly: break
        case .foreign: throw SystemError(.owner, path: path, call: call, detail: "its owner is another user")
        case .shared: throw SystemError(.permissions, path: path, call: call, detail: "other users can write to it")
        case .replaced: throw SystemError(ENOTDIR, call, path)
        }
    }

    /// - Throws: `SystemError` if the process has been killed or the disk fails.
    func checkChange(_ call: String, _ path: String) throws(SystemError) {
        try self.check(call, path)
        if self.volume.condition == .readOnly { throw SystemError(EROFS, call, path) }
        if self.volume.fails() { throw SystemError(EIO, call, path) }
    }

    func checkSpace(_ call: String, _ path: String) throws(SystemError) {
        if self.volume.isFull { throw SystemError(ENOSPC, call, path) }
    }
}

private struct ProcessFile: VolumeFile {
    let path: String
    let inode: SimulatedVolume.Inode
    let volume: ProcessVolume

    func size() throws(SystemError) -> Int64 {
        try self.volume.check("fstat", self.path)
        return Int64(self.inode.state.withLock { $0.contents.count })
    }

    func bytes(at offset: Int64, count: Int) throws(SystemError) -> [UInt8] {
        try self.volume.check("read", self.path)
        return self.inode.state.withLock { Array($0.contents.dropFirst(Int(offset)).prefix(count)) }
    }

    func write(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
        try self.volume.checkChange("write", self.path)
        // Space that the file already occupies can be written to even if the disk is full.
        let size = self.inode.state.withLock { $0.contents.count }
        if Int(offset) + bytes.count > size { try self.volume.checkSpace("write", self.path) }
        self.inode.apply(.write(bytes, at: Int(offset)))
    }

    func truncate(to size: Int64) throws(SystemError) {
        try self.volume.checkChange("ftruncate", self.path)
        self.inode.apply(.truncate(Int(size)))
    }

    func synchronize() throws(SystemError) {
        try self.volume.checkChange("fsync", self.path)
        self.inode.synchronize()
    }
}

private struct ProcessLock: VolumeLock {
    let path: String
    let inode: SimulatedVolume.Inode
    let volume: ProcessVolume

    func tryLock() throws(SystemError) -> Bool {
        try self.volume.check("flock", self.path)
        return self.inode.state.withLock { state in
            let scheduler = self.volume.process.simulation.scheduler
            if let holder = state.holder, !scheduler.isKilled(holder) { return false }
            state.holder = self.volume.process.id
            return true
        }
    }

    func release() {
        self.inode.state.withLock { state in if state.holder == self.volume.process.id { state.holder = nil } }
    }
}
