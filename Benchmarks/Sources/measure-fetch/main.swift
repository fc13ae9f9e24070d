// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession
internal import Foundation

let arguments = CommandLine.arguments.dropFirst()
let words = Array(arguments.prefix(2))
let numbers = arguments.dropFirst(2).prefix { Int($0) != nil }.compactMap { Int($0) }
let options = Array(arguments.dropFirst(2 + numbers.count))

/// Compares two sides in turns, or runs one of them for a profiler.
func compare(_ kind: Comparison, _ url: String) async throws {
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

try runBlocking {
    if words.count == 2, let kind = Comparison(rawValue: words[1]), !numbers.isEmpty {
        try await compare(kind, words[0])
    } else if words.count == 2, let client = Client(rawValue: words[1]), numbers.count == 2 {
        try await client.run(
            words[0],
            trusting: options.first,
            offersHTTP2: options.contains("http2"),
            inFlight: numbers[0],
            duration: .milliseconds(numbers[1])
        )
    } else {
        print("usage: measure-fetch URL fetch|control|typed ROUNDS MILLISECONDS IN-FLIGHT…")
        print("       for a profiler: measure-fetch URL fetch|control|typed COUNT")
        print(
            "       a client alone: measure-fetch URL tessera|curl|async-http-client IN-FLIGHT MILLISECONDS [CERTIFICATE [http2]]"
        )
        exit(64)
    }
}
