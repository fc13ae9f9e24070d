// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A store for small values with an expiration time, under names that cannot be guessed.
///
/// The values include sign-ins in progress (``WebSignIn``) and a web server's browser sessions. ``InMemoryStore``,
/// `SQLiteStore` and `PostgreSQLStore` conform to this protocol. A store must fulfill these requirements:
/// - A value is durable and visible to all instances when ``save(_:as:until:now:)`` returns.
/// - ``take(_:now:)`` returns a value to only one caller across all instances, and never after it expires.
/// - Anyone who reads the disk learns neither the names nor the values.
/// - Expired values may be removed by any call that writes. The caller supplies the current time.
public protocol TransientStore: Sendable {
    /// Stores a value until it expires, replacing any value with the same name.
    ///
    /// - Throws: ``StoreError`` if the value could not be saved.
    func save(_ content: [UInt8], as name: String, until end: Date, now: Date) async throws

    /// Returns the value stored under a name, or nil if it does not exist or has expired.
    ///
    /// - Throws: ``StoreError``, for example with the code `corrupt` if the stored value was altered.
    func content(of name: String, now: Date) async throws -> [UInt8]?

    /// Removes the value stored under a name and returns it, or nil if it does not exist or has expired.
    ///
    /// If several callers request the same name, only one receives the value. If the connection is lost during the
    /// call, it is possible that no caller receives it.
    func take(_ name: String, now: Date) async throws -> [UInt8]?
}

extension TransientStore {
    /// Stores a value until it expires according to the system's clock, replacing any value with the same name.
    public func save(_ content: [UInt8], as name: String, until end: Date) async throws {
        try await self.save(content, as: name, until: end, now: Date())
    }

    /// Returns the value stored under a name, or nil if it does not exist or has expired at the current time.
    public func content(of name: String) async throws -> [UInt8]? { try await self.content(of: name, now: Date()) }

    /// Removes the value stored under a name and returns it, or nil if it does not exist or has expired.
    public func take(_ name: String) async throws -> [UInt8]? { try await self.take(name, now: Date()) }
}
