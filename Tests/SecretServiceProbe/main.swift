// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif
internal import Tessera
internal import TesseraSecretService
internal import TesseraStores
internal import TesseraTesting

// A process of its own for tests of the keyring: the bus is that of the process's environment.
// Each line of standard input is a verb and its arguments (`load PERSON` and `save PERSON`: Ada where nobody is named); each
// line of standard output says what was done.
// `SecretServiceProbe [LIBRARY [MILLISECONDS]]`: what libsecret is called, how long a call may take.

func account(_ person: String) -> Account {
    Account(issuer: "https://accounts.example", clientID: "client", subject: person)
}

let ada = account("ada")
let words = CommandLine.arguments.dropFirst()
let service = SecretService(
    library: words.first ?? "libsecret-1.so.0",
    limits: .init(call: .milliseconds(words.dropFirst().first.flatMap { Int($0) } ?? 10_000), prompt: nil)
)
let store = SecretServiceStore(service: service, schema: SecretServiceStore.schema)

func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

/// Does something and says how it went.
func attempt(_ name: String, _ work: () async throws -> String) async {
    do {
        say("\(name): \(try await work())")
    } catch let error as StoreError {
        say("\(name): \(error.code), \(error.detail ?? "")")
    } catch {
        say("\(name): \(error)")
    }
}

@Sendable func increment(_ account: Account, size: Int = 1024, marking: Bool = false) async throws -> Int64 {
    try await store.update(account) { entry in
        let generation = try await entry.load()?.generation ?? 0
        if marking { try await entry.mark(RefreshMark(begunAt: Date(), generation: generation)) }
        try await entry.save(try .sample(for: account, generation: generation + 1, size: size))
        return generation + 1
    }
}

func load(_ account: Account) async throws -> String {
    let record = try await store.load(account)
    return "\(record?.generation ?? 0)\(record?.refreshMark == nil ? "" : " marked")"
}

while let line = readLine() {
    let words = line.split(separator: " ").map(String.init)
    let number = words.dropFirst().first.flatMap { Int($0) } ?? 1
    let person = account(words.dropFirst().first ?? "ada")
    switch words.first {
    case "contract":
        await attempt("contract") {
            try await SessionStoreContract.all[number].verify(store)
            return "kept"
        }
    case "load": await attempt("load") { try await load(person) }
    case "list": await attempt("list") { "\(try await store.list().count)" }
    case "save": await attempt("save") { "\(try await increment(person))" }
    case "increment": for _ in 0..<number { await attempt("save") { "\(try await increment(ada))" } }
    case "churn": while true { await attempt("save") { "\(try await increment(ada, size: 8192, marking: true))" } }
    case "comings":
        // A sign-in and a sign-out, again and again.
        var generation = Int64(Date().timeIntervalSince1970)
        while true {
            let number = generation
            await attempt("in") {
                let record = try SessionRecord.sample(for: ada, generation: number, size: 8192)
                try await store.update(ada) { try await $0.save(record) }
                return "\(number)"
            }
            await attempt("out") {
                try await store.remove(ada)
                return "\(number)"
            }
            generation += 1
        }
    case "consent":
        // A sign-in, which replaces a record that cannot be read.
        await attempt("consent") {
            try await store.update(person) { try await $0.save(try .sample(for: person, generation: 7)) }
            return "saved"
        }
    case "mark":
        await attempt("mark") {
            try await store.update(ada) { try await $0.mark(RefreshMark(begunAt: Date(), generation: 1)) }
            return "done"
        }
    case "probe":
        await attempt("probe") {
            try await store.probe()
            return "done"
        }
    case "zero":
        let person = account("a\0b")
        await attempt("zero") {
            try await store.update(person) { try await $0.save(try .sample(for: person)) }
            return "kept"
        }
    case "remove":
        await attempt("remove") {
            try await store.remove(ada)
            return "done"
        }
    case "hold":
        try await store.update(ada) { _ in
            say("held")
            try await Task.sleep(for: .seconds(3600))
        }
    case "pipe":
        // Whether SIGPIPE still ends this program: GLib would ignore it.
        var action = sigaction()
        sigaction(SIGPIPE, nil, &action)
        say("pipe: \(action.__sigaction_handler.sa_handler == nil ? "default" : "changed")")
    case "files":
        // An encrypted file store whose key lies in the keyring: `files DIRECTORY PERSON`.
        let files = EncryptedFileStore.withKeyInSecretService(directory: words[1])
        let person = account(words[2])
        await attempt("files") {
            let before = try await files.load(person)?.generation ?? 0
            try await files.update(person) { try await $0.save(try .sample(for: person, generation: before + 1)) }
            return "\(before)"
        }
    default:
        say("?")
    }
}
