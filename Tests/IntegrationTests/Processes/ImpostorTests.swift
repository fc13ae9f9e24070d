// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Foundation
internal import TestPrograms
internal import TestTraits
internal import Testing

/// A network in which one address that is not loopback is this machine's, and no other machine is there.
private enum AddressNamespace {
    static let address = "10.77.0.1"

    /// What starts a command there.
    static let words = [
        "unshare", "--map-root-user", "--net", "sh", "-c",
        "ip link set lo up && ip address add \(Self.address)/32 dev lo && exec \"$@\"", "sh",
    ]

    static func canBeMade() async -> Bool { (try? await ChildProgram.run(Self.words + ["true"]).status) == 0 }
}

@Suite(
    "A server on another machine that pretends to be PostgreSQL",
    .enabled("no network namespace with an address of its own can be made here") { await AddressNamespace.canBeMade() }
)
struct ImpostorTests {
    private static let password = "canary-71c3"
    private static let address = AddressNamespace.address

    /// An address, the environment with it, and what the error has to name.
    struct Case: Sendable, CustomTestStringConvertible {
        var address: String
        var environment: [String: String] = [:]
        var names = "sslmode=verify-full"
        var testDescription: String { "\(self.address) \(self.environment)" }
    }

    private static let user = "postgresql://ada:\(Self.password)@"
    private static let cases = [
        Case(address: "\(Self.user)\(Self.address)/x"),
        Case(address: "postgresql://ada@\(Self.address)/x", environment: ["PGPASSWORD": Self.password]),
        Case(address: "\(Self.user)/x", environment: ["PGHOST": Self.address]),
        Case(address: "\(Self.user)localhost/x", environment: ["PGHOSTADDR": Self.address]),
        Case(address: "\(Self.user)localhost/x?hostaddr=\(Self.address)"),
        Case(address: "\(Self.user)127.0.0.1,\(Self.address)/x"),
        Case(address: "\(Self.user)/x?service=elsewhere"),
        Case(address: "\(Self.user)/x", environment: ["PGSERVICE": "elsewhere"]),
        // Where the user names a mode, the server still has to use SCRAM.
        Case(address: "\(Self.user)\(Self.address)/x?sslmode=verify-full", names: "server does not support SSL"),
        Case(address: "\(Self.user)\(Self.address)/x?sslmode=require", names: "server does not support SSL"),
        Case(address: "\(Self.user)\(Self.address)/x?sslmode=prefer", names: "was added"),
        Case(address: "\(Self.user)\(Self.address)/x?sslmode=disable", names: "was added"),
        Case(address: "\(Self.user)\(Self.address)/x", environment: ["PGSSLMODE": "prefer"], names: "was added"),
        Case(address: "\(Self.user)/x?service=unencrypted", names: "was added"),
    ]

    private static func lines(_ tried: Case) async throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.path + "/impostor-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let services = """
            [elsewhere]
            host=\(Self.address)

            [unencrypted]
            host=\(Self.address)
            sslmode=disable

            """
        try Data(services.utf8).write(to: URL(fileURLWithPath: folder + "/services"))
        let environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "HOME": folder]
            .merging(["PGSERVICEFILE": folder + "/services"]) { $1 }
            .merging(tried.environment) { $1 }
        let probe = [ChildProgram.built("StoreProbe"), "impostor", tried.address, folder + "/keys"]
        let output = try await ChildProgram.run(AddressNamespace.words + probe, environment: environment).output
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test(
        "It is told no password, however the address names it, and the error says what to add",
        .covers(132),
        .shows(claims: 7),
        arguments: Self.cases
    )
    func untold(tried: Case) async throws {
        let lines = try await Self.lines(tried)
        #expect(lines.count == 1, "\(lines)")
        let error = try #require(lines.first)
        #expect(error.hasPrefix("load: unverifiedServer "))
        #expect(error.contains(tried.names), "\(error)")
        #expect(!error.contains(Self.password))
    }

    @Test("It is told the password by a user who wants that, so that the other cases show something", .covers(132))
    func told() async throws {
        // The first is for a libpq before version 16, the second for a newer one.
        let tried = Case(
            address: "\(Self.user)\(Self.address)/x?sslmode=disable&channel_binding=disable",
            environment: ["PGREQUIREAUTH": "password"]
        )
        #expect(try await Self.lines(tried).first == "told: p\(Self.password)")
    }
}
#endif
