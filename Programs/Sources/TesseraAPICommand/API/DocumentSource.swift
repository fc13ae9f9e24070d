// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import HTTPTypes
internal import Tessera
internal import TesseraAPIGenerator
internal import TesseraCommand
internal import TesseraDefaults
internal import TesseraFetch
internal import TesseraOAuth

/// The source of a discovery document: a specified file or URL, the cache, or Google.
struct DocumentSource {
    /// The file or URL specified on the command line.
    let location: String?
    private static let limit = 64 << 20

    /// Returns the discovery document of the API that a method name refers to.
    func document(of name: MethodName) async throws -> DiscoveryDocument {
        guard let location else { return try await Self.usual(name) }
        let bytes =
            if location.contains("://") {
                try await Self.fetch(location, what: location)
            } else {
                try await FileBytes.read(location, option: "--discovery", limit: Self.limit)
            }
        return try Self.parse(bytes, location)
    }

    private static func usual(_ name: MethodName) async throws -> DiscoveryDocument {
        let cache = DocumentCache(name)
        let what = "\(name.api) \(name.version)"
        if let bytes = await cache?.fresh(), let document = try? DiscoveryDocument(parsing: bytes) { return document }
        do {
            let url = "https://www.googleapis.com/discovery/v1/apis/\(name.api)/\(name.version)/rest"
            let bytes = try await Self.fetch(url, what: what)
            let document = try Self.parse(bytes, what)
            await cache?.save(bytes)
            return document
        } catch let error as TransportError {
            // If Google cannot be reached, an outdated document is better than none.
            guard let bytes = await cache?.any(), let document = try? DiscoveryDocument(parsing: bytes) else {
                throw error
            }
            Console.note(
                "tessera: Could not update the description of \(what): Google cannot be reached. Using an older one."
            )
            return document
        }
    }

    private static func parse(_ bytes: [UInt8], _ what: String) throws -> DiscoveryDocument {
        do {
            return try DiscoveryDocument(parsing: bytes)
        } catch {
            throw CommandError.usage(
                "\(what): \(error)",
                "Specify another document with --discovery."
            )
        }
    }

    /// Fetches a URL without an access token.
    private static func fetch(_ url: String, what: String) async throws -> [UInt8] {
        let transport = PlatformDefaults.transport(insecure: .loopbackHTTP)
        let request = try HTTPRequest(method: .get, url: url)
        let (response, body) = try await transport.send(request, body: nil)
        switch response.status.code {
        case 200: return try await body.collect(upTo: Self.limit)
        case 404:
            throw CommandError.usage(
                "The API \(what) does not exist",
                "Check its name, or choose another version with --api-version."
            )
        case let code: throw HTTPStatusError(status: Int(code), endpoint: "discovery of APIs")
        }
    }
}

/// The cached discovery document of an API.
///
/// An unreadable cache is treated as empty.
struct DocumentCache: Sendable {
    private let directory: String
    private let path: String
    private static let oldest: TimeInterval = 86_400
    private static let limit = 64 << 20

    /// Creates a reference to an API's cached document, or nil if there is no cache directory.
    init?(_ name: MethodName) {
        guard let caches = UserDirectories.caches else { return nil }
        self.directory = caches + "/discovery"
        self.path = self.directory + "/\(name.api).\(name.version).json"
    }

    /// Returns the document if it is at most one day old.
    func fresh() async -> [UInt8]? {
        let path = self.path
        let changed = try? await FileBytes.blocking {
            try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
        }
        guard let changed, 0...Self.oldest ~= WallClock.now.timeIntervalSince(changed) else { return nil }
        return await self.any()
    }

    /// Returns the document regardless of its age.
    func any() async -> [UInt8]? {
        try? await FileBytes.blocking { try PrivateFile.contents(of: self.path, limit: Self.limit) }
    }

    func save(_ bytes: [UInt8]) async {
        try? await FileBytes.blocking {
            try PrivateFile.makeDirectory(self.directory)
            try PrivateFile.write(bytes, to: self.path)
        }
    }
}
