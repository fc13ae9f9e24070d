// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraSupport

/// Names a store in one word, as the command line's `--store` and `TESSERA_STORE` do.
///
/// - `file:DIR`: an ``EncryptedFileStore``. `DIR` is absolute, relative to the current directory, or begins with `~/`.
///   It is taken as it is written, without percent-decoding; `file:///DIR` and `file://localhost/DIR` mean `/DIR`.
/// - `memory:`: an `InMemoryStore`.
/// - what the ``StoreFactory`` values given with it read: `secret-service:`, for example.
public struct StoreURI: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: Sendable, Hashable {
        case file(directory: String)
        case memory
        case other(name: String)
    }

    private let kind: Kind
    private let make: @Sendable () -> any SessionStore

    /// Reads a store's name.
    ///
    /// - Parameters:
    ///   - text: the name.
    ///   - factories: the kinds of store that are known beside `file:` and `memory:`.
    /// - Throws: `StoreError` `unavailable`, which says what there is. Only the scheme is repeated in it: the rest of
    ///   an address that was meant for another kind of store may hold a password.
    public init(parsing text: String, factories: [StoreFactory] = []) throws {
        try self.init(parsing: text, factories: factories, home: UserPlaces.current.home, currentDirectory: nil)
    }

    package init(
        parsing text: String,
        factories: [StoreFactory] = [],
        home: String?,
        currentDirectory: String?
    ) throws {
        guard let colon = text.firstIndex(of: ":") else {
            throw Self.unreadable(
                "a name without a scheme",
                text.isEmpty ? nil : "a directory is named as file:DIR",
                factories
            )
        }
        let scheme = text[..<colon].lowercased()
        let rest = text[text.index(after: colon)...]
        switch scheme {
        case "memory":
            guard rest.isEmpty else {
                throw Self.unreadable("memory:", "nothing may follow the colon", factories)
            }
            self.kind = .memory
            self.make = { InMemoryStore() }
        case "file":
            let directory = try Self.path(rest, of: "file:", home: home, currentDirectory: currentDirectory)
            self.kind = .file(directory: directory)
            self.make = { EncryptedFileStore(directory: directory) }
        default:
            guard let factory = factories.first(where: { $0.scheme == scheme }) else {
                let words = scheme == "keychain" ? "there is none on this system" : "this scheme is not known"
                throw Self.unreadable("\(scheme):", words, factories)
            }
            let product = try factory.read(rest)
            self.kind = .other(name: product.name)
            self.make = product.make
        }
    }

    /// Makes the store.
    ///
    /// Nothing is touched on a disk before the store is used.
    public func makeStore() -> any SessionStore { self.make() }

    /// The name in its full form: `file:/home/ada/sessions`.
    public var description: String {
        switch self.kind {
        case .memory: "memory:"
        case .file(let directory): "file:\(directory)"
        case .other(let name): name
        }
    }

    /// Names are equal when they name the same store.
    public static func == (left: StoreURI, right: StoreURI) -> Bool { left.kind == right.kind }
    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.kind) }

    /// The absolute path that follows a scheme, for factories too.
    ///
    /// It is absolute, relative to the current directory, or begins with `~/`; it is taken as it is written, without
    /// percent-decoding, and `///PATH` or `//localhost/PATH` means `/PATH`.
    ///
    /// - Parameters:
    ///   - text: what follows the colon.
    ///   - scheme: the scheme with its colon, for errors.
    /// - Returns: the path.
    /// - Throws: `StoreError` `unavailable`.
    public static func path(_ text: Substring, of scheme: String) throws -> String {
        try Self.path(text, of: scheme, home: UserPlaces.current.home, currentDirectory: nil)
    }

    private static func path(
        _ text: Substring,
        of scheme: String,
        home: String?,
        currentDirectory: String?
    ) throws -> String {
        var path = text
        if path.hasPrefix("//") {
            // The form with a host (RFC 8089): this machine's only.
            let host = path.dropFirst(2).prefix { $0 != "/" }
            guard host.isEmpty || host.lowercased() == "localhost" else {
                let form = "\(scheme)///PATH is on this one"
                throw Self.unreadable(scheme, "a file on another host cannot be a store; \(form)")
            }
            path = path.dropFirst(2 + host.count)
        }
        if path.utf8.contains(0) { throw Self.unreadable(scheme, "the path holds a zero byte") }
        if path == "~" || path.hasPrefix("~/") {
            guard let home else { throw Self.unreadable(scheme, "HOME is not set, so ~ means nothing") }
            return UserPlaces.absolute(home + path.dropFirst())
        }
        if path.hasPrefix("~") { throw Self.unreadable(scheme, "only ~/ is known, not another user's home") }
        guard !path.isEmpty else { throw Self.unreadable(scheme, "the path is missing") }
        return UserPlaces.absolute(String(path), from: currentDirectory)
    }

    private static func unreadable(
        _ place: String,
        _ words: String?,
        _ factories: [StoreFactory] = []
    ) -> StoreError {
        let forms = ["file:DIR"] + factories.map(\.form)
        let known = "stores are named \(forms.joined(separator: ", ")) or memory:"
        return StoreError(.unavailable, place: place, detail: words.map { "\($0); \(known)" } ?? known)
    }
}

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
    let read: @Sendable (_ rest: Substring) throws -> Product

    /// A kind of store.
    ///
    /// - Parameters:
    ///   - scheme: what stands before the colon, in lower case.
    ///   - form: how such a store is named, for people.
    ///   - read: reads what follows the colon; its error repeats nothing that may be a password.
    public init(
        scheme: String,
        form: String,
        read: @escaping @Sendable (_ rest: Substring) throws -> Product
    ) {
        self.scheme = scheme
        self.form = form
        self.read = read
    }
}
