// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import Tessera
internal import TesseraStores

/// A request's body that is read from a file while it is sent.
package enum FileBody {
    /// The body; a regular file has a length and can be sent again from its start.
    package static func make(_ path: String, option: String) throws -> HTTPBody {
        guard access(path, R_OK) == 0 else { throw FileBytes.unusable(path, option, errno) }
        let length = FileBytes.length(of: path)
        return HTTPBody(length: length, isReplayable: length != nil) {
            let file = OpenFile(path, option)
            return { try await file.next() }
        }
    }

    /// One reading of the file.
    private final class OpenFile: Sendable {
        private let path: String
        private let option: String
        /// nil until the first byte is wanted: the opening of a pipe waits for its writer.
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
