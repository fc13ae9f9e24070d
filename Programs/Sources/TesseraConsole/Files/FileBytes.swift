// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Dispatch
package import Tessera
internal import TesseraStores

/// Reads files that are named on the command line, without blocking the cooperative threads.
package enum FileBytes {
    private static let queue = DispatchQueue(label: "tessera.files")
    /// A queue for calls that can block forever, separate from all other work.
    private static let waiting = DispatchQueue(label: "tessera.files.waiting", attributes: .concurrent)

    /// Runs blocking work on a separate queue.
    package static func blocking<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws
        -> Result
    {
        try await withCheckedThrowingContinuation { continuation in
            Self.queue.async { continuation.resume(with: .init(catching: work)) }
        }
    }

    /// Runs work that can block forever, such as opening a pipe whose other end is not open.
    ///
    /// - Parameter work: The blocking work. If the task is canceled, the work is abandoned together with its thread.
    /// - Returns: The result of `work`.
    /// - Throws: Any error that `work` throws, or `CancellationError`.
    package static func interruptible<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws
        -> Result
    {
        let (results, continuation) = AsyncThrowingStream.makeStream(of: Result.self)
        Self.waiting.async {
            do {
                continuation.yield(try work())
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        for try await result in results { return result }
        throw CancellationError()
    }

    /// Returns the contents of a file.
    ///
    /// Errors mention the option that the path was specified with.
    package static func read(_ path: String, option: String, limit: Int) async throws -> [UInt8] {
        try await Self.interruptible {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Self.unusable(path, option, errno) }
            defer { close(descriptor) }
            return try Self.read(descriptor, path, option, limit)
        }
    }

    /// Returns the contents of a file with credentials, and prints a warning if it belongs to another user.
    package static func readCredential(_ path: String, option: String, limit: Int) async throws -> [UInt8] {
        let bytes = try await Self.read(path, option: option, limit: limit)
        if let owner = try await Self.blocking({ Self.otherOwner(of: path, trustsRoot: true) }) {
            Console.note("tessera: \(path) belongs to another user, \(owner), who can change its contents.")
        }
        return bytes
    }

    /// Returns the secret in a file, without surrounding whitespace.
    package static func readSecret(_ path: String, _ name: String, option: String) async throws -> Secret {
        let bytes = try await Self.readCredential(path, option: option, limit: 1 << 16)
        let text = String(decoding: bytes, as: UTF8.self).trimmingWhitespace
        guard !text.isEmpty else { throw CommandError.usage("\(path) is empty", "Write the \(name) to the file.") }
        return Secret(text)
    }

    /// Returns the complete contents of standard input.
    package static func standardInput(option: String, limit: Int) async throws -> [UInt8] {
        try await Self.interruptible { try Self.read(0, "standard input", option, limit) }
    }

    /// Returns the length of a regular file, or nil for anything else.
    package static func length(of path: String) -> Int64? {
        var information = stat()
        guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(information.st_size)
    }

    /// Returns whether other users on this machine can read a regular file.
    package static func isOpenToOthers(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && Self.isReadableByOthers(information)
    }

    /// Returns whether a file is a regular file that its group or other users can read.
    package static func isReadableByOthers(_ information: stat) -> Bool {
        information.st_mode & S_IFMT == S_IFREG && information.st_mode & (S_IRGRP | S_IROTH) != 0
    }

    package static func unusable(_ path: String, _ option: String, _ number: Int32) -> CommandError {
        let owner = number == EACCES ? Self.otherOwner(of: path, trustsRoot: false) : nil
        return CommandError.usage(
            "\(option): \(path): \(Self.words(number))\(owner.map { "; it belongs to another user, \($0)" } ?? "")",
            "Choose another file."
        )
    }

    /// Returns the owner of a file that belongs to another user, such as `ada (uid 1000)`, or nil.
    private static func otherOwner(of path: String, trustsRoot: Bool) -> String? {
        var information = stat()
        guard stat(path, &information) == 0, case let owner = information.st_uid, owner != geteuid(),
            !(trustsRoot && owner == 0)
        else { return nil }
        let target = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        let attributes = try? FileManager.default.attributesOfItem(atPath: target)
        return (attributes?[.ownerAccountName] as? String).map { "\($0) (uid \(owner))" } ?? "uid \(owner)"
    }

    package static func words(_ number: Int32) -> String { String(cString: strerror(number)) }

    /// Returns the next bytes from a descriptor, or an empty array at the end.
    package static func chunk(_ descriptor: Int32, _ path: String, _ option: String) throws -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            while true {
                let result = readOnce(descriptor, buffer)
                if result < 0, errno == EINTR { continue }
                if result < 0, errno == EAGAIN {
                    // Another program has made the pipe or the terminal non-blocking.
                    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    _ = poll(&polled, 1, -1)
                    continue
                }
                failure = result < 0 ? errno : 0
                count = max(0, result)
                return
            }
        }
        if failure != 0 { throw Self.unusable(path, option, failure) }
        return bytes
    }

    package static func read(_ descriptor: Int32, _ path: String, _ option: String, _ limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let chunk = try Self.chunk(descriptor, path, option)
            if chunk.isEmpty { return bytes }
            bytes += chunk
            guard bytes.count <= limit else {
                throw CommandError.usage("\(option): \(path) is larger than \(limit) bytes", "Use a smaller file.")
            }
        }
    }
}

/// Calls `read(2)`, which types with a method of the same name cannot do.
private func readOnce(_ descriptor: Int32, _ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

/// A request body that is read from a file while it is being sent.
package enum FileBody {
    /// Returns the body, which has a known length and can be sent again if the file is a regular file.
    package static func make(_ path: String, option: String) throws -> HTTPBody {
        guard access(path, R_OK) == 0 else { throw FileBytes.unusable(path, option, errno) }
        let length = FileBytes.length(of: path)
        return HTTPBody(length: length, isReplayable: length != nil) {
            let file = OpenFile(path, option)
            return { try await file.next() }
        }
    }

    /// A file that is being read.
    private final class OpenFile: Sendable {
        private let path: String
        private let option: String
        /// The descriptor, or nil before the first read, since opening a pipe blocks until its writer opens it.
        private let descriptor = Mutex<Int32?>(nil)

        init(_ path: String, _ option: String) {
            self.path = path
            self.option = option
        }

        deinit { if let descriptor = self.descriptor.withLock({ $0 }) { close(descriptor) } }

        func next() async throws -> [UInt8]? {
            try await FileBytes.interruptible {
                let bytes = try FileBytes.chunk(try self.opened(), self.path, self.option)
                return bytes.isEmpty ? nil : bytes
            }
        }

        private func opened() throws -> Int32 {
            if let descriptor = self.descriptor.withLock({ $0 }) { return descriptor }
            let descriptor = open(self.path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw FileBytes.unusable(self.path, self.option, errno) }
            self.descriptor.withLock { $0 = descriptor }
            return descriptor
        }
    }
}
