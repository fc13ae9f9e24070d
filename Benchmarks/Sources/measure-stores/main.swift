// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession
internal import BenchmarkStores

let arguments = Array(CommandLine.arguments.dropFirst())
let numbers = arguments.dropFirst(2).compactMap { Int($0) }
switch (arguments.first, numbers.count) {
case ("save", 2):
    try runBlocking { try await Accounts.save(numbers[0]..<numbers[1], in: try NamedStore.open(arguments[1])) }
case ("restore", 1):
    try runBlocking { try await Reading.restore(arguments[1], count: numbers[0]) }
case ("window", 1):
    try runBlocking { try await Refreshing.window(arguments[1], count: numbers[0]) }
case ("load", 2):
    try runBlocking { try await Reading.load(arguments[1], of: numbers[0], count: numbers[1]) }
case ("refresh", 3):
    try runBlocking {
        let accounts = numbers[0]..<numbers[1]
        try await Refreshing.measure(arguments[1], accounts: accounts, duration: .seconds(numbers[2]))
    }
default:
    print(
        """
        usage: measure-stores save STORE FROM TO | restore STORE COUNT | window STORE COUNT
                              | load STORE TOTAL COUNT | refresh STORE FROM TO SECONDS
        """
    )
}
