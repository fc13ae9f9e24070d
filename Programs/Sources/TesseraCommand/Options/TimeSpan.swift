// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// A duration as people write it: `30s`, `5m`, `1h`, `1h30m`, or a number of seconds.
package struct TimeSpan: ExpressibleByArgument, Sendable {
    package let duration: Duration
    private let text: String

    /// How long a person may take, unless told otherwise.
    static let fiveMinutes = TimeSpan(.seconds(300), "5m")

    /// How long a failure may take to pass, unless told otherwise.
    package static let twoMinutes = TimeSpan(.seconds(120), "2m")

    private init(_ duration: Duration, _ text: String) {
        self.duration = duration
        self.text = text
    }

    package init?(argument: String) {
        var seconds: Int64 = 0
        var rest = argument[...]
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard digits.utf8.count <= 9, let number = Int64(digits) else { return nil }
            rest = rest.dropFirst(digits.count)
            switch rest.popFirst() {
            case "s", nil: seconds += number
            case "m": seconds += number * 60
            case "h": seconds += number * 3_600
            case "d": seconds += number * 86_400
            default: return nil
            }
        }
        // Nobody waits longer than a year.
        guard seconds <= 31_622_400 else { return nil }
        self.init(.seconds(seconds), argument)
    }

    package var defaultValueDescription: String { self.text }
}
