// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession

let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, arguments.dropFirst().first) {
case ("fresh-token", let count?):
    try runBlocking { try await FreshToken.measure(count: Int(count) ?? 1_000_000) }
case ("waiters", let count?):
    try runBlocking { try await Waiters.measure(count: Int(count) ?? 10_000) }
case ("save", let uri?):
    try runBlocking { try await StoredSession.save(in: uri) }
default:
    print("usage: measure-session fresh-token COUNT | waiters COUNT | save STORE-URI")
}
