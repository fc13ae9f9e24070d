// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestTransport
internal import TesseraLocalProvider
internal import TesseraOAuth
internal import TesseraUserAgents
internal import TestPrograms
internal import Testing

@Suite(
    "The example programs with Chromium and the local provider",
    .enabled(if: BrowserRequirement.chromium == nil, "\(BrowserRequirement.chromium ?? "")"),
    .enabled(if: ExamplePrograms.areBuilt, "the examples are not built: make examples")
)
struct ChromiumExamplesTests {
    private static let drive = "https://www.googleapis.com/auth/drive.readonly"

    @Test(
        "Completes the four steps of Google's guide with async calls and completion handlers",
        arguments: [
            [], ["--handlers"],
        ]
    )
    func fourSteps(_ form: [String]) async throws {
        let transport = TestTransport.make()
        let provider = try await LocalProvider.start()
        let ada = LocalProviderAccount.samples[0]
        try await ChromeDriver.withBrowser(transport: transport) { session in
            let location = try ExampleHome(opening: session)
            try location.write("client_secret.json", provider.clientSecretFile)
            let program = try ChildProgram(
                [ExamplePrograms.path("four-steps")] + form + [
                    "--client", location.path("client_secret.json"), "--files", provider.baseURL + "/drive/v3/files",
                ],
                environment: location.environment,
                readsErrors: true
            )
            let pages = LocalProviderPages(browser: session)
            try await pages.choose(ada.subject)
            try await pages.allow([])
            // The program opens the page of the second consent.
            try await pages.choose(ada.subject)
            try await pages.allow([Self.drive])
            let (output, status) = await program.finish()
            let errors = String(decoding: await program.errors.rest(), as: UTF8.self)
            #expect(status == 0, "\(errors)")
            let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
            try #require(lines.count == 6, "\(lines)")
            #expect(lines[0] == "Signed in as \(ada.email)")
            #expect(lines[1] == "Drive is not granted yet")
            #expect(lines[2] == "Drive is granted now")
            let names = lines[3].dropFirst("With the token: ".count)
            #expect(!names.isEmpty)
            #expect(lines[4] == "With the authorizer: " + names)
            #expect(lines[5] == "Disconnected")
            #expect(try location.sessions().isEmpty)
        }
        await provider.stop()
    }

    @Test("The desktop program signs in once, and its next run needs no browser")
    func desktopNotes() async throws {
        let transport = TestTransport.make()
        let provider = try await LocalProvider.start()
        let ada = LocalProviderAccount.samples[0]
        try await ChromeDriver.withBrowser(transport: transport) { session in
            let location = try ExampleHome(opening: session)
            try location.write("client_secret.json", provider.clientSecretFile)
            func start() throws -> ChildProgram {
                try ChildProgram(
                    [ExamplePrograms.path("desktop-notes")] + [
                        "--client", location.path("client_secret.json"), "--drive", provider.baseURL + "/drive/v3",
                    ],
                    environment: location.environment,
                    readsErrors: true
                )
            }
            let first = try start()
            let pages = LocalProviderPages(browser: session)
            try await pages.choose(ada.subject)
            try await pages.allow(["https://www.googleapis.com/auth/drive.metadata.readonly"])
            for run in 1...2 {
                let program = run == 1 ? first : try start()
                let (output, status) = await program.finish()
                let errors = String(decoding: await program.errors.rest(), as: UTF8.self)
                #expect(status == 0, "\(errors)")
                #expect(String(decoding: output, as: UTF8.self) == "Signed in: Your Drive belongs to \(ada.email).\n")
            }
        }
        await provider.stop()
    }
}
