// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if SQLite
internal import Tessera
public import TesseraStores

extension StoreFactory {
    /// `sqlite:FILE`, a ``SQLiteStore`` sealed with the user's key file.
    ///
    /// `FILE` is absolute, relative to the current directory, or begins with `~/`; it is taken as it is written, without
    /// percent-decoding, and `sqlite:///FILE` means `/FILE`.
    public static let sqlite = StoreFactory(
        scheme: "sqlite",
        form: "sqlite:FILE"
    ) { rest throws(StoreError) in
        let path = try StoreURI.path(rest, of: "sqlite:")
        guard !rest.hasSuffix("/") else {
            throw StoreError(.unavailable, place: "sqlite:", detail: "the name of a file is missing: sqlite:FILE")
        }
        return Product(name: "sqlite:\(path)") { SQLiteStore(path: path) }
    }
}
#endif
