// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting

extension ScriptedUserAgent {
    /// A user agent with a replaceable script.
    final class Replaceable: Sendable {
        private let current = Mutex<Script?>(nil)
        var agent: ScriptedUserAgent {
            ScriptedUserAgent { url in
                guard let script = self.current.withLock({ $0 }) else { return [] }
                return try await script(url)
            }
        }
        func script(_ script: @escaping Script) { self.current.withLock { $0 = script } }
    }
}
