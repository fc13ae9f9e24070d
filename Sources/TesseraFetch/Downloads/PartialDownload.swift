// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// The bytes of an incomplete download in `FILE.part`, and their origin in `FILE.part.json`.
///
/// A single task uses the value. Its description on disk stays valid even if the process is killed. After a power
/// failure, the last few seconds of data may be lost.
struct PartialDownload {
    /// Where the bytes came from.
    struct Origin: Codable, Sendable, Hashable {
        var format = 1
        /// The SHA-256 digest of the request's URL.
        ///
        /// The URL itself may contain a secret.
        var url: String
        /// The strong entity tag or date that lets the server detect changes.
        var validator: String
        /// The total length in bytes.
        var total: Int64?

        /// Returns whether a response comes from the same version of the file.
        ///
        /// Some servers ignore `If-Range`, and some omit the validator.
        func isStill(_ response: HTTPResponse) -> Bool {
            let field =
                self.validator.hasPrefix("\"") ? response.headerFields[.eTag] : response.headerFields[.lastModified]
            return field == nil || field == self.validator
        }
    }

    /// The path of the complete file.
    let path: String
    private let file: TransferFile
    private let url: String
    /// Whether to replace an existing file with this path.
    private let overwrites: Bool
    /// The number of bytes received.
    private(set) var size: Int64 = 0
    /// The largest size so far, which only a limited number of restarts can reset.
    ///
    /// Only a larger size is treated as progress.
    private(set) var furthest: Int64 = 0
    /// The number of times the download has started over and discarded its bytes.
    private var restarts = 0
    private static let mostRestarts = 10
    /// Whether the server has made the download start over too often.
    var isEndless: Bool { self.restarts > Self.mostRestarts }
    /// The origin of the bytes, or nil if the download cannot be continued.
    private(set) var origin: Origin?

    private var originPath: String { self.path + ".part.json" }

    /// Opens the files from an earlier download of the same URL if it can be continued, or starts a new download.
    ///
    /// If `overwrites` is false, the only files changed at the path, or at the names derived from it, are those created
    /// by this download or an earlier one of the same URL.
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

    /// Returns the request for the missing bytes.
    func rest(of request: HTTPRequest) -> HTTPRequest {
        var request = request
        request.headerFields[.range] = nil
        // Ranges and entity tags are those of the bytes as they are sent, which some transports decompress.
        request.headerFields[.acceptEncoding] = "identity"
        if self.size > 0, let origin {
            request.headerFields[.range] = "bytes=\(self.size)-"
            request.headerFields[.ifRange] = origin.validator
        }
        return request
    }

    /// Discards all bytes and starts over.
    ///
    /// The download can be continued later if there is a validator.
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

    /// Appends the bytes of a body, including those received before an error.
    mutating func append(_ body: HTTPBody, _ progress: (Int64) -> Void) async throws {
        // Switching to the disk's queue costs as much as writing a small chunk, so large buffers are written while the
        // next one is being filled. Both buffers are reused, because allocating new pages costs as much as copying.
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
        // Write the received bytes even if the body was canceled or incomplete.
        do {
            try await flush()
            try await flush()
        } catch {
            throw failure ?? error
        }
        progress(self.size)
        if let failure { throw failure }
    }

    /// Moves the complete file to its final path.
    func finish() async throws {
        try await self.file.synchronize()
        if self.overwrites {
            try await self.file.move(to: self.path)
        } else {
            try await self.file.moveExclusively(to: self.path)
        }
        try await TransferFile.remove(self.originPath)
    }

    /// Removes the files if the download cannot be continued.
    func discard() async {
        guard self.origin == nil || self.size == 0 else { return }
        try? await TransferFile.remove(self.path + ".part")
        try? await TransferFile.remove(self.originPath)
    }
}

/// The range of bytes in a response, from its `Content-Range` header field.
///
/// - SeeAlso: [RFC 9110, section 14.4](https://www.rfc-editor.org/rfc/rfc9110.html#section-14.4)
package struct ContentRange: Sendable, Hashable {
    /// The range of bytes, or nil in a 416 response, which contains only the total length.
    package var bytes: ClosedRange<Int64>?
    /// The total length, or nil if the server does not know it.
    package var total: Int64?

    /// Creates a range from a response.
    ///
    /// Returns nil if the field is missing or is not a single valid range of bytes.
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
