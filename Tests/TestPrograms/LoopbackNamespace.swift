// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// A network that is one loopback interface, as `Scripts/in-loopback-namespace` makes it.
public enum LoopbackNamespace {
    /// An address of the documentation's (RFC 5737), for servers that are not to look like loopback.
    public static let address = "192.0.2.1"

    /// Why a test that needs such a network cannot run; nil where it can.
    public static var missing: String? {
        self.isHere ? nil : "needs a network of loopback only: run by Scripts/in-loopback-namespace, as make test does"
    }

    /// Gives the interface ``address``, so that servers here can listen to it.
    public static func addAddress() async throws {
        guard self.isHere else { throw ChildProgramError(program: "ip", number: EPERM) }
        let (_, status) = try await ChildProgram.run(["ip", "address", "replace", "\(self.address)/32", "dev", "lo"])
        guard status == 0 else { throw ChildProgramError(program: "ip", number: status) }
    }

    /// Whether this process lives in one.
    private static var isHere: Bool {
        guard let devices = try? String(contentsOfFile: "/proc/self/net/dev", encoding: .utf8) else { return false }
        let names = devices.split(separator: "\n").dropFirst(2)
            .compactMap {
                $0.split(separator: ":").first?.trimmingCharacters(in: .whitespaces)
            }
        return names == ["lo"]
    }
}
