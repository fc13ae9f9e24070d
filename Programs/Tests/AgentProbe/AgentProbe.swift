// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraAgent

/// A client of the agent, written like a user of the library would write it.
///
/// The program requests as many tokens as its first argument specifies, concurrently, from the agent at
/// `TESSERA_AGENT_SOCK`. It prints one token per line, or the code of the error. The second argument is the account.
@main
enum AgentProbe {
    static func main() async {
        let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1
        do {
            let source = try await AgentTokenSource.connect(account: CommandLine.arguments.dropFirst(2).first)
            try await withThrowingTaskGroup(of: Secret.self) { group in
                for _ in 0..<count { group.addTask { try await source.accessToken().secret } }
                for try await token in group { token.withUnredacted { print($0) } }
            }
        } catch {
            print("error:", (error as? AgentError)?.code.description ?? "\(error)")
        }
    }
}
