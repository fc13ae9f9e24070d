// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession

let arguments = CommandLine.arguments.dropFirst()
let numbers = arguments.dropFirst().compactMap { Int($0) }
if let url = arguments.first, let count = numbers.last, ["fetch", "execute"].contains(arguments.dropFirst().first) {
    try runBlocking {
        try await FetchComparison(url: url).repeatOnly(arguments[arguments.startIndex + 1], count: count)
    }
} else if let url = arguments.first, numbers.count >= 3 {
    try runBlocking {
        let comparison = FetchComparison(url: url)
        let duration = Duration.milliseconds(numbers[1])
        for inFlight in numbers.dropFirst(2) {
            try await comparison.run(inFlight: inFlight, rounds: numbers[0], duration: duration)
            try await comparison.run(inFlight: inFlight, rounds: numbers[0], duration: duration, isControl: true)
        }
    }
} else {
    print("usage: measure-fetch URL ROUNDS MILLISECONDS IN-FLIGHT…, or, for a profiler: URL fetch|execute COUNT")
}
