// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// Lines in the order in which they were added.
final class Log: Sendable {
    private let state = Mutex<[String]>([])

    var lines: [String] { self.state.withLock { $0 } }

    func add(_ line: String) { self.state.withLock { $0.append(line) } }
}
