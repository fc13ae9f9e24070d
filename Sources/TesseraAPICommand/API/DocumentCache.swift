// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera
internal import TesseraCommand
internal import TesseraSupport

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
        guard let caches = UserPlaces.current.cacheDirectory else { return nil }
        self.directory = caches + "/discovery"
        self.path = self.directory + "/\(name.api).\(name.version).json"
    }

    /// The document, if it is no older than a day.
    func fresh() async -> [UInt8]? {
        let path = self.path
        let age = try? await FileBytes.blocking {
            var information = stat()
            guard stat(path, &information) == 0 else { return TimeInterval.infinity }
            #if canImport(Darwin)
            let seconds = information.st_mtimespec.tv_sec
            #else
            let seconds = information.st_mtim.tv_sec
            #endif
            return WallClock.now.timeIntervalSince1970 - TimeInterval(seconds)
        }
        guard let age, 0...Self.oldest ~= age else { return nil }
        return await self.any()
    }

    /// The document, however old.
    func any() async -> [UInt8]? {
        try? await BlockingExecutor.shared.run { try FileSystem.contents(of: self.path, limit: Self.limit) }
    }

    func keep(_ bytes: [UInt8]) async {
        try? await BlockingExecutor.shared.run {
            try FileSystem.makeDirectory(self.directory)
            try FileSystem.replace(self.path, with: bytes)
        }
    }
}
#endif
