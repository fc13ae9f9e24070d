// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TestPrograms

/// The requirements of the tests with a real browser.
enum BrowserRequirement {
    /// Why tests with a browser cannot run, or nil if they can.
    static let chromium = Self.missing(["chromium", "chromedriver"])
    /// Why tests with a browser and Glewlwyd cannot run, or nil if they can.
    static let chromiumAndGlewlwyd = Self.missing([
        "chromium", "chromedriver", "glewlwyd", "sqlite3", "curl", "jq", "openssl",
    ])

    /// Returns why tests that need these programs cannot run, or nil if they can.
    private static func missing(_ programs: [String]) -> String? {
        ChildProgram.missing(programs) ?? LoopbackNamespace.missing
    }
}
