// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraSupport

/// A URI that names a store, as used by the command line's `--store` option and `TESSERA_STORE`.
///
/// - `file:DIR`: an ``EncryptedFileStore``. `DIR` is absolute, relative to the current directory, or begins with `~/`.
///   It is not percent-decoded. `file:///DIR` and `file://localhost/DIR` mean `/DIR`.
/// - `memory:`: an `InMemoryStore`.
/// - The schemes of the ``StoreFactory`` values passed to the initializer, for example `secret-service:`.
public struct StoreURI: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: Sendable, Hashable {
        case file(directory: String)
        case memory
        case other(name: String)
    }

    private let kind: Kind
    private let make: @Sendable () -> any SessionStore

    /// Creates a store URI by parsing a string.
    ///
    /// - Parameters:
    ///   - text: The URI.
    ///   - factories: The kinds of store that are supported in addition to `file:` and `memory:`.
    /// - Throws: `StoreError` with the code `unavailable`, which lists the supported forms. The error repeats only the
    ///   scheme, because the rest of a URI for another kind of store can contain a password.
    public init(parsing text: String, factories: [StoreFactory] = []) throws {
        try self.init(parsing: text, factories: factories, home: UserFolders.current.home, currentDirectory: nil)
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
                text.isEmpty ? nil : "use file:DIR for a directory",
                factories
            )
        }
        let scheme = text[..<colon].lowercased()
        let rest = text[text.index(after: colon)...]
        switch scheme {
        case "memory":
            guard rest.isEmpty else {
                throw Self.unreadable("memory:", "unexpected text after the colon", factories)
            }
            self.kind = .memory
            self.make = { InMemoryStore() }
        case "file":
            let directory = try Self.path(rest, of: "file:", home: home, currentDirectory: currentDirectory)
            self.kind = .file(directory: directory)
            self.make = { EncryptedFileStore(directory: directory) }
        default:
            guard let factory = factories.first(where: { $0.scheme == scheme }) else {
                let words = scheme == "keychain" ? "this system has no keychain" : "the scheme is not supported"
                throw Self.unreadable("\(scheme):", words, factories)
            }
            let product = try factory.read(rest)
            self.kind = .other(name: product.name)
            self.make = product.make
        }
    }

    /// Creates the store.
    ///
    /// The store does not access the disk until it is used.
    public func makeStore() -> any SessionStore { self.make() }

    /// The URI in its full form, such as `file:/home/ada/sessions`.
    public var description: String {
        switch self.kind {
        case .memory: "memory:"
        case .file(let directory): "file:\(directory)"
        case .other(let name): name
        }
    }

    /// Returns whether two URIs name the same store.
    public static func == (left: StoreURI, right: StoreURI) -> Bool { left.kind == right.kind }
    /// Hashes the store that the URI identifies.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.kind) }

    /// Returns the absolute path after a scheme, for use in a factory.
    ///
    /// The text can be absolute, relative to the current directory, or begin with `~/`. It is not percent-decoded.
    /// `///PATH` and `//localhost/PATH` mean `/PATH`.
    ///
    /// - Parameters:
    ///   - text: The text after the colon.
    ///   - scheme: The scheme with its colon, for error messages.
    /// - Returns: The absolute path.
    /// - Throws: `StoreError` with the code `unavailable` if the text is not a path on this machine.
    public static func path(_ text: Substring, of scheme: String) throws -> String {
        try Self.path(text, of: scheme, home: UserFolders.current.home, currentDirectory: nil)
    }

    private static func path(
        _ text: Substring,
        of scheme: String,
        home: String?,
        currentDirectory: String?
    ) throws -> String {
        var path = text
        if path.hasPrefix("//") {
            // RFC 8089 allows a host. Only the local one is supported.
            let host = path.dropFirst(2).prefix { $0 != "/" }
            guard host.isEmpty || host.lowercased() == "localhost" else {
                let form = "use \(scheme)///PATH"
                throw Self.unreadable(scheme, "the store must be on this machine; \(form)")
            }
            path = path.dropFirst(2 + host.count)
        }
        if path.utf8.contains(0) { throw Self.unreadable(scheme, "the path contains a zero byte") }
        if path == "~" || path.hasPrefix("~/") {
            guard let home else { throw Self.unreadable(scheme, "~ cannot be resolved because HOME is not set") }
            return UserFolders.absolute(home + path.dropFirst())
        }
        if path.hasPrefix("~") {
            throw Self.unreadable(scheme, "only ~/ is supported, not another user's home directory")
        }
        guard !path.isEmpty else { throw Self.unreadable(scheme, "the path is missing") }
        return UserFolders.absolute(String(path), from: currentDirectory)
    }

    private static func unreadable(
        _ location: String,
        _ words: String?,
        _ factories: [StoreFactory] = []
    ) -> StoreError {
        let forms = ["file:DIR"] + factories.map(\.form)
        let known = "the supported forms are \(forms.joined(separator: ", ")) and memory:"
        return StoreError(.unavailable, location: location, detail: words.map { "\($0); \(known)" } ?? known)
    }
}

/// A kind of store that another module adds to ``StoreURI``.
///
/// ```swift
/// let uri = try StoreURI(parsing: "secret-service:", factories: [.secretService])
/// ```
public struct StoreFactory: Sendable {
    /// A store that was parsed from a URI and has not been created yet.
    public struct Product: Sendable {
        /// The store's URI in its full form, which is displayed and saved and must not contain secrets.
        public let name: String
        let make: @Sendable () -> any SessionStore

        /// Creates a product with a URI and a closure that creates the store without accessing it.
        public init(name: String, make: @escaping @Sendable () -> any SessionStore) {
            self.name = name
            self.make = make
        }
    }

    /// The scheme in lowercase, without the colon.
    public let scheme: String
    /// The form of the URI in help and error messages, such as `secret-service:` or `sqlite:FILE`.
    public let form: String
    let read: @Sendable (_ rest: Substring) throws -> Product

    /// Creates a kind of store.
    ///
    /// - Parameters:
    ///   - scheme: The scheme in lowercase, without the colon.
    ///   - form: The form of the URI in help and error messages.
    ///   - read: Parses the text after the colon. The errors it throws must not repeat anything that might be a
    ///     password.
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
