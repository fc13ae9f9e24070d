// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// An error from chromedriver or from a page.
struct WebDriverError: Error, CustomStringConvertible {
    /// The error code of the WebDriver standard, or an empty string.
    let code: String
    let message: String

    init(_ message: String, code: String = "") {
        self.code = code
        self.message = message
    }

    var description: String { self.code.isEmpty ? self.message : "\(self.code): \(self.message)" }

    /// Whether the command may succeed later, because the page is still changing.
    var isTransient: Bool {
        [
            "no such element", "stale element reference", "element click intercepted", "element not interactable",
            "javascript error", "no such execution context", "script timeout",
        ]
        .contains(self.code)
    }
}
