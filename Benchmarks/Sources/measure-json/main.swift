// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

let arguments = CommandLine.arguments.dropFirst()
let numbers = arguments.dropFirst().compactMap { Int($0) }
switch (arguments.first, numbers.first) {
case ("compare", let rounds?):
    try JSONComparison.run(rounds: rounds, isIndented: true)
    try JSONComparison.run(rounds: rounds, isIndented: false)
case ("linearity", let rounds?) where numbers.count > 1:
    try JSONComparison.linearity(rounds: rounds, megabytes: Array(numbers.dropFirst()))
case (let name?, let count?):
    guard let reader = Reader(rawValue: name) else { fallthrough }
    let text = JSONText(megabytes: 1, isIndented: true)
    for _ in 0..<count { try reader.read(text) }
default:
    print(
        "usage: measure-json compare ROUNDS | linearity ROUNDS MEGABYTES…, or, for a profiler:",
        Reader.allCases.map(\.rawValue).joined(separator: "|"),
        "COUNT"
    )
}
