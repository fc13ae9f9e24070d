// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TestPrograms
internal import Testing

@Suite(
    "Credentials without a user, compared with Google's Python library",
    .enabled("needs PyPI once, and python3-venv: Scripts/check-credentials install") {
        await ProviderScript(name: "check-credentials").isInstallable()
    }
)
struct GoogleAuthComparisonTests {
    @Test("Sends the same requests as google-auth for every credential file and environment", .timeLimit(.minutes(5)))
    func comparison() async throws {
        let script = ProviderScript(name: "check-credentials").path
        let probe = ChildProgram.built("CredentialsProbe")
        let (output, status) = try await ChildProgram.run([script, "--probe", probe])
        #expect(status == 0, "\(String(decoding: output, as: UTF8.self))")
    }
}
