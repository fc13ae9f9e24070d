// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraStores

extension StoreFactory {
    /// `passphrase:DIR`, encrypted files whose key a passphrase opens.
    static let passphrase = StoreFactory(
        scheme: "passphrase",
        form: "passphrase:DIR"
    ) { rest in
        let directory = try StoreURI.path(rest, of: "passphrase:")
        return Product(name: "passphrase:\(directory)") {
            let prompt = PassphrasePrompt(place: directory)
            return EncryptedFileStore(directory: directory) { purpose in
                try prompt.passphrase(to: purpose)
            }
        }
    }
}
