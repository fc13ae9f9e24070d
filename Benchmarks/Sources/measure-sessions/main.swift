// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession
internal import BenchmarkStores

let arguments = Array(CommandLine.arguments.dropFirst())
let numbers = arguments.dropFirst(2).compactMap { Int($0) }
switch (arguments.first, numbers.count) {
case ("save", 1):
    try runBlocking { try await Accounts.save(0..<numbers[0], in: try NamedStore.open(arguments[1])) }
case ("records", 1):
    try runBlocking { try await LiveSessions.measureRecords(arguments[1], count: numbers[0]) }
case ("sessions", 1):
    try runBlocking { try await LiveSessions.measure(arguments[1], count: numbers[0]) }
case ("refresh", 2):
    try runBlocking {
        try await RefreshRate.measure(arguments[1], sessions: numbers[0], duration: .milliseconds(numbers[1]))
    }
default:
    print(
        """
        usage: measure-sessions save STORE COUNT | records STORE COUNT | sessions STORE COUNT
                                | refresh ISSUER|instant SESSIONS MILLISECONDS
        """
    )
}
