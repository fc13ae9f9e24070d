// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keeps small things for a time, under names that nobody can guess: sign-ins that are under way in browsers
/// (``WebSignIn``), and what a web server remembers of a browser.
///
/// The contract: what is kept is durable and seen by every instance when ``keep(_:as:until:now:)`` returns;
/// ``take(_:now:)`` gives a thing to one caller only, on all instances, and never after its end; whoever reads the disk
/// learns neither the names nor the contents. What has come to its end may be swept away at any call that writes. The time
/// is the caller's. ``InMemoryStore``, `SQLiteStore` and `PostgreSQLStore` are such stores.
public protocol TransientStore: Sendable {
    /// Keeps something until a time, in place of what has that name.
    ///
    /// - Throws: ``StoreError``.
    func keep(_ content: [UInt8], as name: String, until end: Date, now: Date) async throws

    /// What has that name and has not come to its end; nil where there is none.
    ///
    /// - Throws: ``StoreError``; `corrupt` for what is not as it was kept.
    func content(of name: String, now: Date) async throws -> [UInt8]?

    /// The same, and removes it: of all who ask for a name one gets it.
    ///
    /// Where the connection is lost at that moment, nobody may get it.
    func take(_ name: String, now: Date) async throws -> [UInt8]?
}

extension TransientStore {
    /// Keeps something until a time by the system's clock, in place of what has that name.
    public func keep(_ content: [UInt8], as name: String, until end: Date) async throws {
        try await self.keep(content, as: name, until: end, now: Date())
    }

    /// What has that name and has not come to its end by the system's clock.
    public func content(of name: String) async throws -> [UInt8]? { try await self.content(of: name, now: Date()) }

    /// The same, and removes it: of all who ask for a name one gets it.
    public func take(_ name: String) async throws -> [UInt8]? { try await self.take(name, now: Date()) }
}
