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
internal import TesseraOAuth
internal import TesseraPostgreSQL
internal import TesseraSQLite
internal import TesseraStores
internal import TesseraTesting

// A separate process for tests of stores: `StoreProbe VERB DIRECTORY KEYS [COUNT]`. KEYS is `-` for the default
// location. DIRECTORY is `sqlite:DIRECTORY` for a database in that directory, or `postgresql://…`. With PostgreSQL each
// COUNT uses a separate account, because the lease of a killed process does not end immediately. Each line of standard
// output is a result. An error is printed as `CODE ERRNO`.

func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

/// Runs `work` and prints its result or error.
func attempt(_ name: String, _ work: () async throws -> String) async {
    do {
        say("\(name): \(try await work())")
    } catch let error as StoreError {
        say("\(name): \(error.code) \(error.status ?? 0)")
    } catch {
        say("\(name): \(error)")
    }
}

/// Fills all free space of the file system that contains `path`.
func fill(_ path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    for size in [65_536, 4096, 1] {
        let block = [UInt8](repeating: 1, count: size)
        while write(file, block, size) == size {}
    }
}

let arguments = CommandLine.arguments
guard arguments.count >= 4 else { exit(2) }
let directory = arguments[2].hasPrefix("sqlite:") ? String(arguments[2].dropFirst(7)) : arguments[2]

let isPostgreSQL = arguments[2].hasPrefix("postgresql:")
let count = arguments.count > 4 ? Int64(arguments[4]) ?? 1 : 1

func makeStore(keyDirectory: String?) throws -> any SessionStore {
    #if SQLite
    if arguments[2].hasPrefix("sqlite:") {
        return SQLiteStore(path: directory + "/sessions.sqlite", keyDirectory: keyDirectory)
    }
    #endif
    #if PostgreSQL
    if isPostgreSQL { return try PostgreSQLStore(Secret(arguments[2]), keyDirectory: keyDirectory) }
    #endif
    return EncryptedFileStore(directory: directory, keyDirectory: keyDirectory)
}
let store = try makeStore(keyDirectory: arguments[3] == "-" ? nil : arguments[3])
let account = Account(
    issuer: "https://accounts.example",
    clientID: "client",
    subject: isPostgreSQL ? "ada-\(count)" : "ada"
)

@Sendable func increment(size: Int = 1024, marking: Bool = false) async throws -> Int64 {
    try await store.update(account) { entry in
        let generation = try await entry.load()?.generation ?? 0
        if marking { try await entry.mark(RefreshMark(begunAt: Date(), generation: generation)) }
        try await entry.save(try .sample(for: account, generation: generation + 1, size: size))
        return generation + 1
    }
}

switch arguments[1] {
case "present":
    say("present")
case "increment":
    for _ in 0..<count { await attempt("saved") { "\(try await increment())" } }
case "churn":
    say("ready")
    while true { await attempt("saved") { "\(try await increment(size: 8192, marking: true))" } }
case "comings":
    // Signs in and out repeatedly.
    var generation = Int64(Date().timeIntervalSince1970)
    while true {
        let number = generation
        await attempt("in") {
            let record = try SessionRecord.sample(for: account, generation: number, size: 8192)
            try await store.update(account) { try await $0.save(record) }
            return "\(number)"
        }
        await attempt("out") {
            try await store.remove(account)
            return "\(number)"
        }
        generation += 1
    }
case "hold":
    try await store.update(account) { _ in
        say("held")
        try await Task.sleep(for: .seconds(3600))
    }
case "probe":
    await attempt("probe") {
        try await store.probe()
        return "ok"
    }
case "first":
    // Uses a store for the first time. The first process creates the key.
    let person = Account(issuer: "https://accounts.example", clientID: "client", subject: "person-\(count)")
    await attempt("saved") {
        try await store.update(person) { try await $0.save(try .sample(for: person, generation: count)) }
        return "ok"
    }
case "all":
    await attempt("load") { "\(try await store.load(account)?.generation ?? 0)" }
    await attempt("list") { "\(try await store.list().count)" }
    await attempt("probe") {
        try await store.probe()
        return "ok"
    }
    await attempt("save") { "\(try await increment())" }
case "impostor":
    // Starts an impostor at the store's address and attempts to load a session from it.
    Impostor.start(port: 5432)
    do {
        _ = try await store.load(account)
        say("load: ok")
    } catch let error as StoreError {
        say("load: \(error.code) \(error)")
    }
case "fill":
    fill(directory + "/ballast")
case "filled":
    // Uses a disk that another process has filled.
    await attempt("load") { "\(try await store.load(account)?.generation ?? 0)" }
    await attempt("list") { "\(try await store.list().count)" }
    do {
        _ = try await increment(size: 3_000_000)
        say("save of too much: ok")
    } catch let error as StoreError {
        say("save of too much: \(error.code) \(error.status ?? 0) \(error.detail ?? "")")
    }
    await attempt("load") { "\(try await store.load(account)?.generation ?? 0)" }
    await attempt("remove") {
        try await store.remove(account)
        return "ok"
    }
    await attempt("load") { "\(try await store.load(account)?.generation ?? 0)" }
case "change":
    await PowerLoss.change(store)
case "report":
    await PowerLoss.report(store, of: Array(arguments.dropFirst(4)))
case "full":
    let ballast = directory + "/ballast"
    let mark = RefreshMark(begunAt: Date(timeIntervalSince1970: 1_000), generation: 1)
    func load() async throws -> String {
        let record = try await store.load(account)
        return "\(record?.generation ?? 0)\(record?.refreshMark == nil ? "" : " marked")"
    }
    await attempt("save") { "\(try await increment())" }
    fill(ballast)
    await attempt("probe on a full disk") {
        try await store.probe()
        return "ok"
    }
    await attempt("save on a full disk") { "\(try await increment())" }
    await attempt("mark on a full disk") {
        try await store.update(account) { try await $0.mark(mark) }
        return "ok"
    }
    await attempt("load") { try await load() }
    unlink(ballast)
    await attempt("mark") {
        try await store.update(account) { try await $0.mark(mark) }
        return "ok"
    }
    fill(ballast)
    await attempt("save of more than was reserved") { "\(try await increment(size: 100_000))" }
    await attempt("load") { try await load() }
    await attempt("save of what was reserved") { "\(try await increment(size: 20_000))" }
    await attempt("load") { try await load() }
default:
    exit(2)
}
