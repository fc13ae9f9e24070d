// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraOAuth
internal import TesseraTesting

extension ScriptedUserAgent {
    /// A user agent whose script is written after it was made.
    final class Later: Sendable {
        private let written = Mutex<Script?>(nil)
        var agent: ScriptedUserAgent {
            ScriptedUserAgent { url in
                guard let script = self.written.withLock({ $0 }) else { return [] }
                return try await script(url)
            }
        }
        func script(_ script: @escaping Script) { self.written.withLock { $0 = script } }
    }
}

/// A value that one task leaves for another.
final class Sent<Value: Sendable>: Sendable {
    private let held = Mutex<Value?>(nil)
    var value: Value? {
        get { self.held.withLock { $0 } }
        set { self.held.withLock { $0 = newValue } }
    }
}
