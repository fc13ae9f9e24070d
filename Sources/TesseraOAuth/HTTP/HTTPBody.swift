// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

/// The body of a request or a response: a stream of byte chunks with its length, where known, and whether it can be
/// sent again.
///
/// A body made of bytes can be iterated any number of times. A body made of a stream can be iterated once, unless it
/// says that it is replayable.
///
/// - SeeAlso: [RFC 9110, section 6.4](https://www.rfc-editor.org/rfc/rfc9110.html#section-6.4)
public struct HTTPBody: Sendable, AsyncSequence {
    /// A chunk of bytes; never empty.
    public typealias Element = [UInt8]
    /// Makes the next chunk, nil at the end.
    public typealias Next = () async throws -> [UInt8]?

    enum Storage: Sendable {
        case bytes([UInt8])
        case stream(@Sendable () -> Next)
        case source(any HTTPBodySource)
    }

    let storage: Storage
    /// The number of bytes, where it is known beforehand.
    public let length: Int64?
    /// Whether the body can be iterated again from its start, as a retry needs it.
    public let isReplayable: Bool

    /// A body of bytes; replayable.
    public init(_ bytes: [UInt8]) {
        self.storage = .bytes(bytes)
        self.length = Int64(bytes.count)
        self.isReplayable = true
    }

    /// A body of UTF-8 text; replayable.
    public init(_ text: String) { self.init(Array(text.utf8)) }

    /// A streamed body.
    ///
    /// `start` is called once for each iteration and returns the function that makes the chunks.
    public init(length: Int64?, isReplayable: Bool, start: @escaping @Sendable () -> Next) {
        self.storage = .stream(start)
        self.length = length
        self.isReplayable = isReplayable
    }

    /// Creates a body of a source; those of transports can be read once.
    package init(length: Int64?, isReplayable: Bool = false, source: any HTTPBodySource) {
        self.storage = .source(source)
        self.length = length
        self.isReplayable = isReplayable
    }

    /// The source of a body that was made of one.
    package var source: (any HTTPBodySource)? {
        if case .source(let source) = self.storage { source } else { nil }
    }

    /// The bytes of a body made of bytes, nil for a stream: for transports, which can then send them at once.
    public var bytes: [UInt8]? {
        if case .bytes(let bytes) = self.storage { bytes } else { nil }
    }

    /// The whole body in memory.
    ///
    /// - Throws: ``TransportError`` `bodyTooLarge` when there are more than `limit` bytes, and what the stream throws.
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

    /// Starts an iteration.
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

    /// Walks over the chunks.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var pending: [UInt8]?
        let next: Next?

        /// The next chunk, nil at the end.
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
    /// Only the length: the bytes may hold tokens.
    public var description: String { "body of \(self.length.map(String.init) ?? "an unknown number of") bytes" }
}

/// Where the bytes of a response come from: once, either chunk by chunk or all together, which takes fewer steps.
package protocol HTTPBodySource: AnyObject, Sendable {
    /// What makes the chunks; it throws ``TransportError`` `bodyAlreadyRead` from the second time on.
    func start() -> HTTPBody.Next

    /// All bytes.
    ///
    /// - Throws: ``TransportError`` `bodyTooLarge` when there are more than `limit`, `bodyAlreadyRead`, and what the network
    ///   throws.
    func collect(upTo limit: Int) async throws -> [UInt8]
}
