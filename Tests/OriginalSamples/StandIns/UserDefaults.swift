// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
import Foundation

/// Defaults that are shared by all suites and not written to a file.
@MainActor final class UserDefaults {
    private static var values: [String: Data] = [:]

    init?(suiteName: String) {}

    func set(_ value: Data?, forKey key: String) { Self.values[key] = value }
    func object(forKey key: String) -> Any? { Self.values[key] }
}
#endif
