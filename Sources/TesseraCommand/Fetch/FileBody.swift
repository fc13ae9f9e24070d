// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
package import Tessera
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

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
        private let descriptor: Int32
        private let failure: Int32

        init(_ path: String, _ option: String) {
            self.path = path
            self.option = option
            self.descriptor = open(path, O_RDONLY | O_CLOEXEC)
            self.failure = self.descriptor < 0 ? errno : 0
        }

        deinit { if self.descriptor >= 0 { close(self.descriptor) } }

        func next() async throws -> [UInt8]? {
            try await FileBytes.blocking {
                guard self.descriptor >= 0 else { throw FileBytes.unusable(self.path, self.option, self.failure) }
                let bytes = try FileBytes.chunk(self.descriptor, self.path, self.option)
                return bytes.isEmpty ? nil : bytes
            }
        }
    }
}
#endif
