// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// A network namespace that has only a loopback interface, as `Scripts/in-loopback-namespace` creates it.
public enum LoopbackNamespace {
    /// An address for documentation (RFC 5737), for servers that should not appear as loopback.
    public static let address = "192.0.2.1"

    /// Why a test that needs such a network cannot run, or nil if it can.
    public static var missing: String? {
        self.isActive ? nil : "needs a network with loopback only: run Scripts/in-loopback-namespace, as make test does"
    }

    /// Adds ``address`` to the interface, so that servers can listen on it.
    public static func addAddress() async throws {
        guard self.isActive else { throw ChildProgramError(program: "ip", number: EPERM) }
        let (_, status) = try await ChildProgram.run(["ip", "address", "replace", "\(self.address)/32", "dev", "lo"])
        guard status == 0 else { throw ChildProgramError(program: "ip", number: status) }
    }

    /// Whether this process runs in such a namespace.
    private static var isActive: Bool {
        guard let devices = try? String(contentsOfFile: "/proc/self/net/dev", encoding: .utf8) else { return false }
        let names = devices.split(separator: "\n").dropFirst(2)
            .compactMap {
                $0.split(separator: ":").first?.trimmingCharacters(in: .whitespaces)
            }
        return names == ["lo"]
    }
}
