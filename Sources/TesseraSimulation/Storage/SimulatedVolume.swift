// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// A disk that promises what POSIX promises, and no more.
///
/// The contents of a file are durable only after the file was synchronized, and its name only after its directory was.
/// When the machine loses power, any subset of the later changes takes effect, in any order among files and names, and
/// a write can be torn at each sector.
final class SimulatedVolume: Sendable {
    /// A file, which can have several names or none.
    final class Inode: Sendable {
        enum Change: Sendable {
            case write([UInt8], at: Int)
            case truncate(Int)
        }

        struct State {
            var contents: [UInt8] = []
            var durable: [UInt8] = []
            /// The changes since the file was synchronized.
            var changes: [Change] = []
            /// The process that holds the file's lock, unless it has been killed.
            var holder: ProcessID?
            /// The kind of file, which damage can change.
            var kind = Kind.file
        }

        /// A kind of file.
        enum Kind: Sendable {
            case file
            case pipe
            /// A file that is longer than any record.
            case huge
        }

        let state = Mutex(State())

        func apply(_ change: Change) {
            self.state.withLock { state in
                Self.apply(change, to: &state.contents)
                state.changes.append(change)
            }
        }

        func synchronize() {
            self.state.withLock { state in
                state.durable = state.contents
                state.changes = []
            }
        }

        func losePower(_ random: inout SeededGenerator) {
            self.state.withLock { state in
                var contents = state.durable
                for change in state.changes {
                    for part in Self.sectors(of: change) where random.chance(50) { Self.apply(part, to: &contents) }
                }
                state = State(contents: contents, durable: contents, kind: state.kind)
            }
        }

        private static func sectors(of change: Change) -> [Change] {
            guard case .write(let bytes, let offset) = change else { return [change] }
            return stride(from: 0, to: bytes.count, by: 512)
                .map { start in
                    .write(Array(bytes[start..<min(start + 512, bytes.count)]), at: offset + start)
                }
        }

        private static func apply(_ change: Change, to contents: inout [UInt8]) {
            switch change {
            case .truncate(let size):
                if size < contents.count { contents.removeLast(contents.count - size) }
                contents += [UInt8](repeating: 0, count: size - contents.count)
            case .write(let bytes, at: 0) where bytes.count >= contents.count: contents = bytes
            case .write(let bytes, let offset):
                contents += [UInt8](repeating: 0, count: max(0, offset - contents.count))
                contents.replaceSubrange(offset..<min(offset + bytes.count, contents.count), with: bytes)
            }
        }
    }

    private enum NameChange: Sendable {
        case set(String, Inode)
        case move(String, to: String)
        case remove(String)
    }

    private struct State {
        var random: SeededGenerator
        var names: [String: Inode] = [:]
        var durableNames: [String: Inode] = [:]
        /// The changes of names since the directory was synchronized.
        ///
        /// All files of a simulation are in one directory.
        var changes: [NameChange] = []
        var directories: Set<String> = []
        var isFull = false
        /// The probability that a change fails, in percent.
        var failing = 0
        var condition = Condition.sound
    }

    /// The condition of a directory, in which all operations may fail.
    enum Condition: Sendable {
        case sound
        /// The directory belongs to another user.
        case foreign
        /// Other users can write to the directory.
        case shared
        /// The disk is mounted read-only.
        case readOnly
        /// A file is in the place of the directory.
        case replaced
        /// The contents that a probe has written are lost.
        case forgetful
    }

    private let state: Mutex<State>

    init(random: SeededGenerator) { self.state = Mutex(State(random: random)) }

    func setFull(_ isFull: Bool) { self.state.withLock { $0.isFull = isFull } }

    func setFailing(_ percent: Int) { self.state.withLock { $0.failing = percent } }

    var isFull: Bool { self.state.withLock { $0.isFull } }

    /// Returns whether the next change fails with an input/output error.
    func fails() -> Bool { self.state.withLock { $0.failing > 0 && $0.random.chance($0.failing) } }

    /// The condition of the directories.
    var condition: Condition {
        get { self.state.withLock { $0.condition } }
        set { self.state.withLock { $0.condition = newValue } }
    }

    func inode(at path: String) -> Inode? { self.state.withLock { $0.names[path] } }

    /// Whether a process holds the lock of any file.
    func isLocked(by process: ProcessID) -> Bool {
        self.state.withLock { state in state.names.values.contains { $0.state.withLock { $0.holder == process } } }
    }

    func create(_ path: String) -> Inode {
        self.change { state in
            let inode = Inode()
            return (.set(path, inode), inode)
        }
    }

    func move(_ old: String, to new: String) { self.change { _ in (.move(old, to: new), ()) } }

    func remove(_ path: String) { self.change { _ in (.remove(path), ()) } }

    func synchronizeDirectory() {
        self.state.withLock { state in
            state.durableNames = state.names
            state.changes = []
        }
    }

    func makeDirectory(_ path: String) { self.state.withLock { _ = $0.directories.insert(path) } }

    func hasDirectory(_ path: String) -> Bool { self.state.withLock { $0.directories.contains(path) } }

    func names(in path: String) -> [String] {
        let prefix = path + "/"
        return self.state.withLock { state in
            state.names.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }.sorted()
        }
    }

    /// Reverts the disk to the durable contents and names, with any subset of the later changes.
    func losePower() {
        self.state.withLock { state in
            var names = state.durableNames
            for change in state.changes where state.random.chance(50) { Self.apply(change, to: &names) }
            for name in names.keys.sorted() { names[name]?.losePower(&state.random) }
            (state.names, state.durableNames, state.changes) = (names, names, [])
        }
    }

    private func change<Value>(_ body: (inout State) -> (NameChange, Value)) -> Value {
        self.state.withLock { state in
            let (change, value) = body(&state)
            Self.apply(change, to: &state.names)
            state.changes.append(change)
            return value
        }
    }

    private static func apply(_ change: NameChange, to names: inout [String: Inode]) {
        switch change {
        case .set(let path, let inode): names[path] = inode
        case .move(let old, let new): if let inode = names.removeValue(forKey: old) { names[new] = inode }
        case .remove(let path): names[path] = nil
        }
    }
}
