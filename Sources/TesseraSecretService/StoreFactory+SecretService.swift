// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
public import TesseraStores

extension StoreFactory {
    /// `secret-service:`, a ``SecretServiceStore``.
    public static let secretService = StoreFactory(
        scheme: "secret-service",
        form: "secret-service:"
    ) { (rest) throws(StoreError) in
        guard rest.isEmpty else {
            throw StoreError(.unavailable, place: "secret-service:", detail: "nothing may follow the colon")
        }
        return Product(name: "secret-service:") { SecretServiceStore() }
    }
}
