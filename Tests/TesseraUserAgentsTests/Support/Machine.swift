// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP

/// Capabilities of this machine.
enum Machine {
    /// Whether a server can listen on `::1`.
    static let hasIPv6: Bool = {
        guard let server = try? LoopbackServer.start(on: .ipv6, respond: { _ in .text(status: 200, "") }) else {
            return false
        }
        server.stop()
        return true
    }()
}
