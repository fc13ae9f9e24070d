// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// One account's place in a store while ``SessionStore/update(_:_:)`` holds it.
public struct SessionStoreEntry: Sendable {
    private let loading: @Sendable () async throws -> SessionRecord?
    private let marking: @Sendable (RefreshMark?) async throws -> Void
    private let saving: @Sendable (SessionRecord) async throws -> Void
    private let removing: @Sendable () async throws -> Void

    /// An entry of a store; called by stores only.
    public init(
        load: @escaping @Sendable () async throws -> SessionRecord?,
        mark: @escaping @Sendable (RefreshMark?) async throws -> Void,
        save: @escaping @Sendable (SessionRecord) async throws -> Void,
        remove: @escaping @Sendable () async throws -> Void
    ) {
        self.loading = load
        self.marking = mark
        self.saving = save
        self.removing = remove
    }

    /// The record as it is now, read anew; its `refreshMark` tells of a refresh that was begun and not finished.
    public func load() async throws -> SessionRecord? { try await self.loading() }

    /// Writes down that a refresh is about to be sent; nil takes that back.
    ///
    /// Reserves the space that its result will need, so that a full disk is found before the request. The record itself
    /// stays as it is.
    public func mark(_ mark: RefreshMark?) async throws { try await self.marking(mark) }

    /// Replaces the record, durably; clears the mark.
    public func save(_ record: SessionRecord) async throws { try await self.saving(record) }

    /// Removes the record.
    public func remove() async throws { try await self.removing() }
}
