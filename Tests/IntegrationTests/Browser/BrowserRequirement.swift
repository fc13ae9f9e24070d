// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
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
        if let missing = ChildProgram.missing(programs) { return missing }
        if !Self.onlyLoopbackIsUp {
            return "the browser may talk to loopback only: run by Scripts/in-loopback-namespace, as make test does"
        }
        return nil
    }

    /// Whether this process lives in a network namespace that has nothing but a loopback interface.
    private static var onlyLoopbackIsUp: Bool {
        guard let devices = try? String(contentsOfFile: "/proc/self/net/dev", encoding: .utf8) else { return false }
        let names = devices.split(separator: "\n").dropFirst(2)
            .compactMap {
                $0.split(separator: ":").first?.trimmingCharacters(in: .whitespaces)
            }
        return names == ["lo"]
    }
}
