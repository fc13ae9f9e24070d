// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The process's environment.
package enum Environment {
    /// A variable that is set to something.
    package static func value(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}
