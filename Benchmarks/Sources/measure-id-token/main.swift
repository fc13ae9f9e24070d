// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession
internal import TesseraJOSE

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.count == 2, let rounds = Int(arguments[1]) {
    let algorithm = JWSAlgorithm(rawValue: arguments[0])
    try runBlocking { try await TokenComparison.run(algorithm, rounds: rounds) }
} else if arguments.count == 3, let count = Int(arguments[2]) {
    let (algorithm, name) = (JWSAlgorithm(rawValue: arguments[0]), arguments[1])
    try runBlocking { try await TokenComparison.repeatOnly(algorithm, name, count: count) }
} else {
    print("usage: measure-id-token RS256|ES256 ROUNDS, or, for a profiler: RS256|ES256 bare|tessera|jwt-kit COUNT")
}
