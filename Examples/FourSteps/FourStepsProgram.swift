// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation
import TesseraGoogleSignIn

/// Signs the user in with Google and lists Drive files, following the steps of Google's guide.
///
/// Usage: `four-steps --client client_secret.json`. With `--handlers`, the program uses completion handlers instead of
/// async/await. To run it without a Google account, use the `client_secret.json` of `tessera provider` and pass the URL
/// of its Drive with `--files`.
@main
enum FourStepsProgram {
    @MainActor
    static func main() async {
        do {
            try await self.run(CommandLine.arguments.dropFirst())
        } catch {
            FileHandle.standardError.write(Data("four-steps: \(error.localizedDescription)\n".utf8))
            exit(1)
        }
    }

    @MainActor
    private static func run(_ arguments: ArraySlice<String>) async throws {
        var rest = arguments
        var usesHandlers = false
        var files = "https://www.googleapis.com/drive/v3/files"
        while let argument = rest.popFirst() {
            switch (argument, rest.first) {
            case ("--handlers", _): usesHandlers = true
            case ("--client", let file?):
                GIDSignIn.sharedInstance.configuration =
                    try GIDConfiguration(clientFile: file, insecure: .loopbackHTTP)
                rest.removeFirst()
            case ("--files", let url?):
                files = url
                rest.removeFirst()
            default: throw FourStepsError.usage
            }
        }
        guard let files = URL(string: files) else { throw FourStepsError.usage }
        guard usesHandlers else { return try await FourSteps(files: files, presenter: .systemBrowser).run() }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, Error>) in
            let steps = FourStepsWithHandlers(files: files, presenter: .systemBrowser) { error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(()))
            }
            steps.start()
        }
    }
}
