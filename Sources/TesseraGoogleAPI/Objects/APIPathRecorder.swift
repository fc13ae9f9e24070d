// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// Notes which members are asked for: how a key path becomes names.
public final class APIPathRecorder: Sendable {
    private let names = Mutex<[String]>([])

    init() {}

    /// The names that were asked for, the outermost first.
    var path: [String] { self.names.withLock { $0 } }

    func note(_ name: String) { self.names.withLock { $0.append(name) } }
}
