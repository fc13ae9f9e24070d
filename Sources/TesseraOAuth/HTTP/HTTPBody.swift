// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

/// The body of a request or a response, as a stream of byte chunks.
///
/// A body created from bytes can be iterated any number of times. A body created from a stream can be iterated once,
/// unless it is replayable.
///
/// - SeeAlso: [RFC 9110, section 6.4](https://www.rfc-editor.org/rfc/rfc9110.html#section-6.4)
public struct HTTPBody: Sendable, AsyncSequence {
    /// A chunk of bytes, which is never empty.
    public typealias Element = [UInt8]
    /// A function that returns the next chunk, or nil at the end.
    public typealias Next = () async throws -> [UInt8]?

    enum Storage: Sendable {
        case bytes([UInt8])
        case stream(@Sendable () -> Next)
        case source(any HTTPBodySource)
    }

    let storage: Storage
    /// The number of bytes, if known in advance.
    public let length: Int64?
    /// Whether the body can be iterated again from the start, as required for a retry.
    public let isReplayable: Bool

    /// Creates a replayable body from bytes.
    public init(_ bytes: [UInt8]) {
        self.storage = .bytes(bytes)
        self.length = Int64(bytes.count)
        self.isReplayable = true
    }

    /// Creates a replayable body from text in UTF-8.
    public init(_ text: String) { self.init(Array(text.utf8)) }

    /// Creates a body from a stream.
    ///
    /// The body calls `start` once for each iteration to get the function that produces the chunks.
    public init(length: Int64?, isReplayable: Bool, start: @escaping @Sendable () -> Next) {
        self.storage = .stream(start)
        self.length = length
        self.isReplayable = isReplayable
    }

    /// Creates a body from a source, which can be read once by default.
    package init(length: Int64?, isReplayable: Bool = false, source: any HTTPBodySource) {
        self.storage = .source(source)
        self.length = length
        self.isReplayable = isReplayable
    }

    /// The source of a body that was created from one.
    package var source: (any HTTPBodySource)? {
        if case .source(let source) = self.storage { source } else { nil }
    }

    /// The bytes if the body was created from bytes, so that a transport can send them at once, or nil for a stream.
    public var bytes: [UInt8]? {
        if case .bytes(let bytes) = self.storage { bytes } else { nil }
    }

    /// Returns the whole body.
    ///
    /// - Throws: ``TransportError`` with `bodyTooLarge` if the body has more than `limit` bytes, or any error that the
    ///   stream throws.
    public func collect(upTo limit: Int) async throws -> [UInt8] {
        if let length, length > Int64(limit) { throw TransportError(.bodyTooLarge) }
        switch self.storage {
        case .bytes(let bytes):
            return bytes
        case .stream(let start):
            let next = start()
            guard var collected = try await next() else { return [] }
            if collected.count > limit { throw TransportError(.bodyTooLarge) }
            while let chunk = try await next() {
                if collected.count + chunk.count > limit { throw TransportError(.bodyTooLarge) }
                collected += chunk
            }
            return collected
        case .source(let source):
            return try await source.collect(upTo: limit)
        }
    }

    /// Returns an iterator over the chunks.
    public func makeAsyncIterator() -> AsyncIterator {
        switch self.storage {
        case .bytes(let bytes):
            AsyncIterator(pending: bytes.isEmpty ? nil : bytes, next: nil)
        case .stream(let start):
            AsyncIterator(pending: nil, next: start())
        case .source(let source):
            AsyncIterator(pending: nil, next: source.start())
        }
    }

    /// An iterator over the chunks of a body.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var pending: [UInt8]?
        let next: Next?

        /// Returns the next chunk, or nil at the end.
        public mutating func next() async throws -> [UInt8]? {
            if let chunk = self.pending {
                self.pending = nil
                return chunk
            }
            return try await self.next?()
        }
    }
}

extension HTTPBody: Redacted {
    /// A description that contains only the length, because the bytes may contain tokens.
    public var description: String { "body of \(self.length.map(String.init) ?? "an unknown number of") bytes" }
}

/// A source of bytes that can be read once, either chunk by chunk or, with less overhead, as a whole.
package protocol HTTPBodySource: AnyObject, Sendable {
    /// Returns the function that produces the chunks. It throws `bodyAlreadyRead` if the source has already been read.
    func start() -> HTTPBody.Next

    /// Returns all bytes.
    ///
    /// - Throws: ``TransportError`` with `bodyTooLarge` if there are more than `limit` bytes, with `bodyAlreadyRead` if
    ///   the source has already been read, or with another code if the network fails.
    func collect(upTo limit: Int) async throws -> [UInt8]
}
