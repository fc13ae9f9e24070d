// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession
internal import Foundation

let arguments = CommandLine.arguments.dropFirst()
let words = Array(arguments.prefix(2))
let numbers = arguments.dropFirst(2).compactMap { Int($0) }
guard words.count == 2, let kind = Comparison(rawValue: words[1]), !numbers.isEmpty else {
    print("usage: measure-fetch URL fetch|control|typed ROUNDS MILLISECONDS IN-FLIGHT…")
    print("       for a profiler: measure-fetch URL fetch|control|typed COUNT")
    exit(64)
}
let url = words[0]
try runBlocking {
    guard numbers.count >= 3 else { return try await kind.own(url).repeated(numbers[0]) }
    let comparison = FetchComparison {
        try await kind.own(url)
    } peer: {
        try await kind.peer(url)
    }
    for inFlight in numbers.dropFirst(2) {
        let duration = Duration.milliseconds(numbers[1])
        try await comparison.run(kind.rawValue, inFlight: inFlight, rounds: numbers[0], duration: duration)
    }
}
