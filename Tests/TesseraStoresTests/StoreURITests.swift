// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraStores
internal import TestTraits
internal import Testing

@Suite("Store URIs")
struct StoreURITests {
    @Test(
        "Normalizes a store URI",
        arguments: [
            ("file:/var/lib/app", "file:/var/lib/app"), ("file:sessions", "file:/srv/sessions"),
            ("file:./a//b/", "file:/srv/a/b"), ("file:../a", "file:/srv/../a"), ("file:~/a b", "file:/home/ada/a b"),
            ("file:~", "file:/home/ada"), ("file:///x", "file:/x"), ("file://localhost/x", "file:/x"),
            ("FILE:/x", "file:/x"), ("file:/a%20b:c", "file:/a%20b:c"), ("memory:", "memory:"), ("Memory:", "memory:"),
        ]
    )
    func read(text: String, normalized: String) throws {
        let uri = try StoreURI(parsing: text, home: "/home/ada", currentDirectory: "/srv")
        #expect(uri.description == normalized)
        #expect(try StoreURI(parsing: normalized) == uri)
    }

    @Test(
        "Rejects any other text with the supported forms and without repeating it",
        .covers(124),
        arguments: [
            "", "sessions", "/var/lib/app", "file:", "file:~bob/x", "file://server/x", "file:a\0b", "memory:x",
            "postgresql://ada:canary@host/db", "keychain:", ":", "canary",
        ]
    )
    func refuse(text: String) throws {
        let error = try #require(throws: StoreError.self) {
            try StoreURI(parsing: text, home: "/home/ada", currentDirectory: "/srv")
        }
        #expect(error.code == .unavailable)
        #expect(error.description.contains("file:DIR"))
        #expect(error.description.contains("memory:"))
        #expect(!error.description.contains("canary"))
    }

    @Test(
        "Creates and compares stores of a custom factory without revealing a password",
        .covers(124)
    )
    func factories() throws {
        let factory = StoreFactory(scheme: "vault", form: "vault:NAME") { rest in
            guard let name = rest.split(separator: "@").last else { throw StoreError(.unavailable, location: "vault:") }
            return StoreFactory.Product(name: "vault:\(name)") { InMemoryStore() }
        }
        let uri = try StoreURI(parsing: "Vault:canary@a", factories: [factory])
        #expect(uri.description == "vault:a")
        #expect(try uri == StoreURI(parsing: "vault:a", factories: [factory]))
        #expect(try uri != StoreURI(parsing: "vault:b", factories: [factory]))
        #expect(uri.makeStore() is InMemoryStore)
        #expect(try StoreURI(parsing: "file:/x", factories: [factory]).makeStore() is EncryptedFileStore)
        var dumped = ""
        dump(uri, to: &dumped)
        #expect(!dumped.contains("canary"))
        #expect(throws: StoreError(.unavailable, location: "vault:")) {
            try StoreURI(parsing: "vault:", factories: [factory])
        }
        let unknown = #expect(throws: StoreError.self) { try StoreURI(parsing: "other:x", factories: [factory]) }
        #expect(unknown?.detail?.contains("the supported forms are file:DIR, vault:NAME and memory:") == true)
    }

    @Test("Creates the store that a URI names")
    func make() throws {
        #expect(try StoreURI(parsing: "memory:").makeStore() is InMemoryStore)
        #expect(try StoreURI(parsing: "file:/x").makeStore() is EncryptedFileStore)
        #expect(throws: StoreError.self) { try StoreURI(parsing: "file:~/x", home: nil, currentDirectory: "/") }
    }
}
