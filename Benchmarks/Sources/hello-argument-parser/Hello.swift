// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

@main
struct Hello: ParsableCommand {
    @Option(help: "The name to greet.")
    var name = "world"

    func run() { print("hello, \(self.name)") }
}
