// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What chromedriver, or the page, did not do.
struct WebDriverError: Error, CustomStringConvertible {
    /// The error's name in the WebDriver standard, where the driver answered with one.
    let code: String
    let message: String

    init(_ message: String, code: String = "") {
        self.code = code
        self.message = message
    }

    var description: String { self.code.isEmpty ? self.message : "\(self.code): \(self.message)" }

    /// The page is on its way to another state: the same command may succeed a moment later.
    var isPassing: Bool {
        [
            "no such element", "stale element reference", "element click intercepted", "element not interactable",
            "javascript error", "no such execution context", "script timeout",
        ]
        .contains(self.code)
    }
}
