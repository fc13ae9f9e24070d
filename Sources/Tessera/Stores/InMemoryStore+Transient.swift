// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import TesseraSupport

extension InMemoryStore: TransientStore {
    /// Something that is kept for a time.
    struct Transient: Sendable {
        let content: [UInt8]
        let end: Date
    }

    /// Keeps something until a time; what has come to its end goes.
    public func keep(_ content: [UInt8], as name: String, until end: Date, now: Date) async throws {
        self.transients.withLock { transients in
            // Only now and then: whoever keeps a million things does not look at all of them each time.
            if transients.count.isMultiple(of: 256) { transients = transients.filter { $0.value.end > now } }
            transients[name] = Transient(content: content, end: end)
        }
    }

    /// What has that name and has not come to its end.
    public func content(of name: String, now: Date) async throws -> [UInt8]? {
        self.transients.withLock { $0[name] }.flatMap { now < $0.end ? $0.content : nil }
    }

    /// The same, and removes it.
    public func take(_ name: String, now: Date) async throws -> [UInt8]? {
        self.transients.withLock { $0.removeValue(forKey: name) }.flatMap { now < $0.end ? $0.content : nil }
    }
}
