// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera

/// A kind of store that ``StoreURI`` does not know by itself: a room above this one brings it.
///
/// ```swift
/// let uri = try StoreURI(parsing: "secret-service:", factories: [.secretService])
/// ```
public struct StoreFactory: Sendable {
    /// A store that was named, and is not made yet.
    public struct Product: Sendable {
        /// The name in its full form, without any secret: it is shown and written down.
        public let name: String
        let make: @Sendable () -> any SessionStore

        /// A store of that name; `make` touches nothing before the store is used.
        public init(name: String, make: @escaping @Sendable () -> any SessionStore) {
            self.name = name
            self.make = make
        }
    }

    /// What stands before the colon, in lower case.
    public let scheme: String
    /// How such a store is named, for people: `secret-service:`, `sqlite:FILE`.
    public let form: String
    let read: @Sendable (_ rest: Substring) throws(StoreError) -> Product

    /// A kind of store.
    ///
    /// - Parameters:
    ///   - scheme: what stands before the colon, in lower case.
    ///   - form: how such a store is named, for people.
    ///   - read: reads what follows the colon; its error repeats nothing that may be a password.
    public init(
        scheme: String,
        form: String,
        read: @escaping @Sendable (_ rest: Substring) throws(StoreError) -> Product
    ) {
        self.scheme = scheme
        self.form = form
        self.read = read
    }
}
