// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraCommand

/// The discovery document of an API as it was kept from an earlier call.
///
/// What cannot be read or kept is as good as not there.
struct DocumentCache: Sendable {
    private let directory: String
    private let path: String
    private static let oldest: TimeInterval = 86_400
    private static let limit = 64 << 20

    /// Nil where no place for it is known.
    init?(_ name: MethodName) {
        guard let caches = UserDirectories.caches else { return nil }
        self.directory = caches + "/discovery"
        self.path = self.directory + "/\(name.api).\(name.version).json"
    }

    /// The document, if it is no older than a day.
    func fresh() async -> [UInt8]? {
        let path = self.path
        let changed = try? await FileBytes.blocking {
            try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        }
        guard let changed, 0...Self.oldest ~= WallClock.now.timeIntervalSince(changed) else { return nil }
        return await self.any()
    }

    /// The document, however old.
    func any() async -> [UInt8]? {
        try? await FileBytes.blocking { try PrivateFile.contents(of: self.path, limit: Self.limit) }
    }

    func keep(_ bytes: [UInt8]) async {
        try? await FileBytes.blocking {
            try PrivateFile.makeDirectory(self.directory)
            try PrivateFile.write(bytes, to: self.path)
        }
    }
}
