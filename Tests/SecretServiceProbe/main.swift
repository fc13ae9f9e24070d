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

// A separate process for tests of the keyring: `SecretServiceProbe [LIBRARY [MILLISECONDS]]`. LIBRARY is the file name
// of libsecret, and MILLISECONDS is the timeout of a call. The environment determines the session bus. Each line of
// standard input is a verb with its arguments. `load` and `save` take a subject, which defaults to `ada`. Each line of
// standard output is a result.

func account(_ subject: String) -> Account {
    Account(issuer: "https://accounts.example", clientID: "client", subject: subject)
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

/// Runs `work` and prints its result or error.
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
    let target = account(words.dropFirst().first ?? "ada")
    switch words.first {
    case "contract":
        await attempt("contract") {
            try await SessionStoreContract.all[number].verify(store)
            return "fulfilled"
        }
    case "load": await attempt("load") { try await load(target) }
    case "list": await attempt("list") { "\(try await store.list().count)" }
    case "save": await attempt("save") { "\(try await increment(target))" }
    case "increment": for _ in 0..<number { await attempt("save") { "\(try await increment(ada))" } }
    case "churn": while true { await attempt("save") { "\(try await increment(ada, size: 8192, marking: true))" } }
    case "toggle":
        // Signs in and out repeatedly.
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
        // A sign-in replaces a record that cannot be read.
        await attempt("consent") {
            try await store.update(target) { try await $0.save(try .sample(for: target, generation: 7)) }
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
        let target = account("a\0b")
        await attempt("zero") {
            try await store.update(target) { try await $0.save(try .sample(for: target)) }
            return "saved"
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
        // Reports whether SIGPIPE still has its default action, because GLib would ignore the signal.
        var action = sigaction()
        sigaction(SIGPIPE, nil, &action)
        say("pipe: \(action.__sigaction_handler.sa_handler == nil ? "default" : "changed")")
    case "files":
        // Uses an encrypted file store with its key in the keyring: `files DIRECTORY SUBJECT`.
        let files = EncryptedFileStore.withKeyInSecretService(directory: words[1])
        let target = account(words[2])
        await attempt("files") {
            let before = try await files.load(target)?.generation ?? 0
            try await files.update(target) { try await $0.save(try .sample(for: target, generation: before + 1)) }
            return "\(before)"
        }
    default:
        say("?")
    }
}
