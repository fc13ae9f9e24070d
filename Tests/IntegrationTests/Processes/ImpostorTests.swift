// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Foundation
internal import TestPrograms
internal import TestTraits
internal import Testing

/// A network namespace with one address that is not loopback, and without other machines.
private enum AddressNamespace {
    static let address = "10.77.0.1"

    /// The command prefix that runs a command in the namespace.
    static let prefix = [
        "unshare", "--map-root-user", "--net", "sh", "-c",
        "ip link set lo up && ip address add \(Self.address)/32 dev lo && exec \"$@\"", "sh",
    ]

    static func isAvailable() async -> Bool { (try? await ChildProgram.run(Self.prefix + ["true"]).status) == 0 }
}

@Suite(
    "Servers that pretend to be PostgreSQL",
    .enabled("this machine cannot create a network namespace with an address") { await AddressNamespace.isAvailable() }
)
struct ImpostorTests {
    private static let password = "canary-71c3"
    private static let address = AddressNamespace.address

    /// A connection URL, additional environment variables, and a text that the error must contain.
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
        // If the user sets a mode, the server still has to use SCRAM.
        Case(address: "\(Self.user)\(Self.address)/x?sslmode=verify-full", names: "server does not support SSL"),
        Case(address: "\(Self.user)\(Self.address)/x?sslmode=require", names: "server does not support SSL"),
        Case(address: "\(Self.user)\(Self.address)/x?sslmode=prefer", names: "was added"),
        Case(address: "\(Self.user)\(Self.address)/x?sslmode=disable", names: "was added"),
        Case(address: "\(Self.user)\(Self.address)/x", environment: ["PGSSLMODE": "prefer"], names: "was added"),
        Case(address: "\(Self.user)/x?service=unencrypted", names: "was added"),
    ]

    private static func lines(_ target: Case) async throws -> [String] {
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
            .merging(target.environment) { $1 }
        let probe = [ChildProgram.built("StoreProbe"), "impostor", target.address, folder + "/keys"]
        let output = try await ChildProgram.run(AddressNamespace.prefix + probe, environment: environment).output
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test(
        "Never sends the password to an unverified server, and names the missing setting",
        .covers(132),
        .shows(claims: 7),
        arguments: Self.cases
    )
    func withheld(target: Case) async throws {
        let lines = try await Self.lines(target)
        #expect(lines.count == 1, "\(lines)")
        let error = try #require(lines.first)
        #expect(error.hasPrefix("load: unverifiedServer "))
        #expect(error.contains(target.names), "\(error)")
        #expect(!error.contains(Self.password))
    }

    @Test("Sends the password if the user permits it, which validates the other cases", .covers(132))
    func permitted() async throws {
        // The URL is for libpq before version 16, the environment variable for newer versions.
        let target = Case(
            address: "\(Self.user)\(Self.address)/x?sslmode=disable&channel_binding=disable",
            environment: ["PGREQUIREAUTH": "password"]
        )
        #expect(try await Self.lines(target).first == "told: p\(Self.password)")
    }
}
#endif
