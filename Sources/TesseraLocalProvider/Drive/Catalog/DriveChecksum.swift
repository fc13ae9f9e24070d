// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Crypto

/// The checksum that Drive names for each file.
enum DriveChecksum {
    /// The MD5 in hexadecimal; nil for what has no bytes, or cannot be read.
    static func md5(_ content: DriveFile.Content, in directory: DriveDirectory?) -> String? {
        var digest = Insecure.MD5()
        switch content {
        case .none:
            return nil
        case .memory(let bytes):
            digest.update(data: bytes)
        case .disk(let name, _):
            guard let file = directory?.open(name) else { return nil }
            var offset: Int64 = 0
            while true {
                let chunk = file.read(1 << 20, at: offset)
                if chunk.isEmpty { break }
                digest.update(data: chunk)
                offset += Int64(chunk.count)
            }
        }
        return digest.finalize()
            .map { byte in
                String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }
            .joined()
    }
}
#endif
