// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

@main
struct Hello: ParsableCommand {
    @Option(help: "Whom to greet.")
    var name = "world"

    func run() { print("hello, \(self.name)") }
}
