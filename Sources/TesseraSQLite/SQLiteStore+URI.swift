// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
public import Tessera

extension SQLiteStore {
    /// The store that a name in one word means: `sqlite:PATH`, sealed with the user's key file.
    ///
    /// `PATH` is absolute, relative to the current directory, or begins with `~/`; it is taken as it is written, without
    /// percent-decoding, and `sqlite:///PATH` means `/PATH`.
    ///
    /// - Throws: ``StoreError`` `unavailable` for any other name.
    public convenience init(uri: String) throws(StoreError) {
        let place = "sqlite:"
        guard uri.prefix(7).lowercased() == place else {
            throw StoreError(.unavailable, place: place, detail: "a database is named as sqlite:PATH")
        }
        var path = String(uri.dropFirst(7))
        if path.hasPrefix("///") { path.removeFirst(2) }
        if path.hasPrefix("~/") {
            guard let home = UserPlaces.home else {
                throw StoreError(.unavailable, place: place, detail: "HOME is not set, so ~ means nothing")
            }
            path = home + path.dropFirst()
        }
        guard !path.isEmpty, !path.hasPrefix("~"), !path.hasPrefix("//"), !path.hasSuffix("/"), !path.utf8.contains(0)
        else { throw StoreError(.unavailable, place: place, detail: "the name of a file is missing; sqlite:PATH") }
        self.init(path: path)
    }
}
#endif
