// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// What has come of a download: `FILE.part`, and beside it, `FILE.part.json`, what it is a part of.
///
/// For one task. What it says of itself is true after any kill of the process; a machine that loses its power may have
/// lost the last seconds of it.
struct PartialDownload {
    /// What the bytes are a part of.
    struct Origin: Codable, Sendable, Hashable {
        var format = 1
        /// SHA-256 of the request's URL, which may hold a secret.
        var url: String
        /// The strong entity tag, or the date, by which the server knows whether it is still the same.
        var validator: String
        /// How long the whole is.
        var total: Int64?

        /// Whether an answer is of the same whole, as far as it says: not every server heeds `If-Range`.
        func isStill(_ response: HTTPResponse) -> Bool {
            let field =
                self.validator.hasPrefix("\"") ? response.headerFields[.eTag] : response.headerFields[.lastModified]
            return field == nil || field == self.validator
        }
    }

    /// Where the whole is to be.
    let path: String
    private let file: TransferFile
    private let url: String
    /// Whether a file that has the name is replaced.
    private let overwrites: Bool
    /// How many bytes there are.
    private(set) var size: Int64 = 0
    /// How many bytes there were at most since the beginning, or since the last of the first few: only more is progress.
    private(set) var furthest: Int64 = 0
    /// How often what had come was lost, because the whole began again.
    private var restarts = 0
    private static let mostRestarts = 10
    /// Whether a server makes it begin again and again.
    var isEndless: Bool { self.restarts > Self.mostRestarts }
    /// What they are a part of; nil where they cannot be continued.
    private(set) var origin: Origin?

    private var originPath: String { self.path + ".part.json" }

    /// Opens what an earlier download of the same URL left, if it may be continued; else begins with nothing.
    ///
    /// Without `overwrites`, no file that this download or an earlier one of the same URL did not write is changed: not the
    /// one of the name, and none of the names derived from it.
    init(of request: HTTPRequest, at path: String, resumes: Bool, overwrites: Bool) async throws {
        let url = "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")"
        self.path = path
        self.url = Hexadecimal.sha256(of: url)
        self.overwrites = overwrites
        let origin = resumes ? await Self.origin(at: path + ".part.json") : nil
        let isContinued = origin?.url == self.url
        if !overwrites {
            try await TransferFile.checkAbsence(of: path)
            if !isContinued { try await TransferFile.checkAbsence(of: path + ".part.json") }
        }
        self.file = try await TransferFile.writing(path + ".part", exclusively: !overwrites && !isContinued)
        if isContinued, let origin {
            let size = try await self.file.status().size
            if size > 0, size <= origin.total ?? .max {
                (self.size, self.furthest, self.origin) = (size, size, origin)
            }
        }
        if self.size == 0 { try await self.begin(nil, total: nil) }
    }

    private static func origin(at path: String) async -> Origin? {
        guard let file = try? await TransferFile.reading(path, requiresOwner: true),
            let bytes = try? await file.read(1 << 16, at: 0),
            let origin = try? JSONDecoder().decode(Origin.self, from: Data(bytes)), origin.format == 1
        else { return nil }
        return origin
    }

    /// Returns the request for what is missing.
    func rest(of request: HTTPRequest) -> HTTPRequest {
        var request = request
        request.headerFields[.range] = nil
        if self.size > 0, let origin {
            request.headerFields[.range] = "bytes=\(self.size)-"
            request.headerFields[.ifRange] = origin.validator
        }
        return request
    }

    /// Forgets what has come: the whole begins, and can be continued if a validator says of what it is a part.
    mutating func begin(_ validator: String?, total: Int64?) async throws {
        try await TransferFile.remove(self.originPath)
        try await self.file.truncate(to: 0)
        if self.size > 0 { self.restarts += 1 }
        if !self.isEndless { self.furthest = 0 }
        self.size = 0
        self.origin = validator.map { Origin(url: self.url, validator: $0, total: total) }
        guard let origin else { return }
        let bytes = Array(try JSONEncoder().encode(origin))
        let description = try await TransferFile.writing(self.originPath)
        try await description.truncate(to: 0)
        try await description.write(bytes, at: 0)
    }

    /// Adds what a body has, and keeps all that came before an error.
    mutating func append(_ body: HTTPBody, _ progress: (Int64) -> Void) async throws {
        // A hop to the disk's queue costs as much as writing a small piece: larger ones go at once, one while the next one
        // comes, and the memory of both is used again and again, since fresh pages cost as much as the copying.
        let limit = 1 << 20
        let file = self.file
        var (buffer, written) = ([UInt8](), self.size)
        var writing: Task<[UInt8], any Error>?
        func flush() async throws {
            var spare = try await writing?.value ?? []
            writing = nil
            self.size = written
            self.furthest = max(self.furthest, written)
            guard !buffer.isEmpty else { return }
            spare.removeAll(keepingCapacity: true)
            let offset = written
            written += Int64(buffer.count)
            swap(&buffer, &spare)
            writing = Task { [spare] in
                try await file.write(spare, at: offset)
                return spare
            }
        }
        var failure: (any Error)?
        do {
            for try await chunk in body {
                buffer += chunk
                if buffer.count >= limit {
                    try await flush()
                    progress(written)
                }
            }
        } catch {
            failure = error
        }
        // Cancelled or broken off: what came is kept.
        do {
            try await flush()
            try await flush()
        } catch {
            throw failure ?? error
        }
        progress(self.size)
        if let failure { throw failure }
    }

    /// Gives the whole its name.
    func finish() async throws {
        try await self.file.synchronize()
        if self.overwrites {
            try await self.file.move(to: self.path)
        } else {
            try await self.file.moveExclusively(to: self.path)
        }
        try await TransferFile.remove(self.originPath)
    }

    /// Removes what cannot be continued.
    func discard() async {
        guard self.origin == nil || self.size == 0 else { return }
        try? await TransferFile.remove(self.path + ".part")
        try? await TransferFile.remove(self.originPath)
    }
}

/// Which part of a whole an answer has.
///
/// - SeeAlso: [RFC 9110, section 14.4](https://www.rfc-editor.org/rfc/rfc9110.html#section-14.4)
package struct ContentRange: Sendable, Hashable {
    /// The first and the last byte; nil in a refusal, which names the length alone.
    package var bytes: ClosedRange<Int64>?
    /// The length of the whole, nil where the server does not know it.
    package var total: Int64?

    /// Reads the field; nil where there is none, or none of one range of bytes that makes sense.
    package init?(_ response: HTTPResponse) {
        guard let text = response.headerFields[.contentRange], text.lowercased().hasPrefix("bytes ") else { return nil }
        let sides = text.dropFirst("bytes ".count).split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        self.total = Self.number(sides[1])
        guard self.total != nil || sides[1] == "*" else { return nil }
        guard sides[0] != "*" else { return }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
            self.total.map({ last < $0 }) ?? true
        else { return nil }
        self.bytes = first...last
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int64(text) : nil
    }
}
