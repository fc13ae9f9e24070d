// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TestPrograms

/// What the tests with a real browser need, and what is missing of it on this machine.
enum BrowserRequirement {
    /// For a browser alone.
    static let chromium = Self.missing(["chromium", "chromedriver"])
    /// For a browser and Glewlwyd.
    static let chromiumAndGlewlwyd = Self.missing([
        "chromium", "chromedriver", "glewlwyd", "sqlite3", "curl", "jq", "openssl",
    ])

    /// Why the tests cannot run; nil where they can.
    private static func missing(_ programs: [String]) -> String? {
        ChildProgram.missing(programs) ?? LoopbackNamespace.missing
    }
}
