// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import Tessera
internal import TesseraJSON
internal import TesseraStores

/// An access token that `tessera token --cache` saves outside the store, to avoid opening a keyring.
///
/// Every call except ``forgetAll()`` blocks.
///
/// The cache has a file with mode 0600 for each combination of store and requested account. It never contains refresh
/// tokens or tokens that are bound to a key. Every command that changes accounts clears the cache.
struct CachedToken {
    private let directory: String
    private let path: String
    private let store: String
    private let account: String?

    /// Whether `TESSERA_TOKEN_CACHE` enables the cache.
    static var isWanted: Bool { ![nil, "0"].contains(Environment.value("TESSERA_TOKEN_CACHE")) }

    /// Creates a reference to the cached token for a store and a requested account, or nil if no directory is known.
    init?(of account: String?, in store: StoreURI) {
        guard let directory = UserDirectories.tokens else { return nil }
        self.directory = directory
        self.store = store.description
        self.account = account
        let name = account.map { "account \($0)" } ?? "no account"
        self.path = "\(directory)/\(PrivateFile.name(for: "\(store)\n\(name)")).token"
    }

    /// Returns the cached token unless it is missing or about to expire.
    func token(now: Date) -> AccessToken? {
        guard PrivateFile.isPrivateDirectory(self.directory),
            let bytes = try? PrivateFile.contents(of: self.path, limit: 1 << 17),
            let value = try? JSONValue(parsing: bytes),
            value["store"]?.string == self.store, value["account"]?.string == self.account,
            let token = value["access_token"]?.string,
            let obtainedAt = try? value["obtained_at"]?.double(),
            let lifetime = try? value["expires_in"]?.integer(Int64.self)
        else { return nil }
        let tokens = TokenSet(
            accessToken: Secret(token),
            obtainedAt: Date(timeIntervalSince1970: obtainedAt),
            lifetime: lifetime,
            refreshToken: nil,
            idToken: nil
        )
        return tokens.freshToken(validFor: .zero, isRenewable: true, now: now)
    }

    /// Saves a record's access token if it is a bearer token with a known expiration.
    func save(_ record: SessionRecord) throws {
        guard let tokens = record.tokens, tokens.tokenType == .bearer, record.dpopKey == nil,
            let lifetime = tokens.lifetime
        else { return }
        let node: JSONNode = [
            "store": .string(self.store),
            "account": self.account.map { .string($0) } ?? .null,
            "access_token": tokens.accessToken.withUnredacted { .string($0) },
            "obtained_at": .double(tokens.obtainedAt.timeIntervalSince1970),
            "expires_in": .integer(lifetime),
        ]
        try PrivateFile.makeDirectory(self.directory)
        guard PrivateFile.isPrivateDirectory(self.directory) else {
            throw StoreError(
                .permissionDenied,
                location: self.directory,
                detail: "other users can read it; run chmod 700 on it"
            )
        }
        try PrivateFile.write(node.serialized(), to: self.path)
    }

    /// Removes all cached tokens.
    static func forgetAll() async throws {
        guard let directory = UserDirectories.tokens else { return }
        try await FileBytes.blocking {
            guard access(directory, F_OK) == 0 else { return }
            for name in try FileManager.default.contentsOfDirectory(atPath: directory) where name.contains(".token") {
                try PrivateFile.remove("\(directory)/\(name)")
            }
        }
    }
}
