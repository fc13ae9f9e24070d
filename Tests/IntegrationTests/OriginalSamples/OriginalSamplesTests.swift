// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && !canImport(Darwin)
internal import Foundation
@testable internal import OriginalSamples
internal import TestTraits
internal import TestTransport
internal import TesseraGTMAppAuth
internal import TesseraLocalProvider
internal import TesseraOAuth
internal import Testing

/// The samples use the process's transport, its sign-in and its application object, so only one can run at a time.
@Suite("Samples of the original libraries with the local provider", .serialized, .timeLimit(.minutes(2)))
@MainActor
struct OriginalSamplesTests {
    private static let redirectURI = "com.example.sample:/callback"

    /// Runs `body` with a provider, and with an app whose browser consents to everything.
    private func withApp(
        accessTokenLifetime: Int = 3_600,
        _ body: (LocalProvider) async throws -> Void
    ) async throws {
        var options = LocalProviderOptions()
        options.accessTokenLifetime = accessTokenLifetime
        options.clients = [
            LocalProviderClient(
                id: "sample",
                secret: "",
                name: "Sample",
                kind: .installed,
                redirectURIs: [Self.redirectURI]
            )
        ]
        let provider = try await LocalProvider.start(options)
        OIDAuthorizationService.use(transport: TestTransport.make(), insecure: .loopbackHTTP)
        let (delegate, walk) = (AppDelegate(), ConsentWalk(transport: TestTransport.make()))
        UIApplication.shared.delegate = delegate
        UIApplication.shared.openURL = { page in
            Task { @MainActor in
                do {
                    let redirect = try await walk.redirect(from: page.absoluteString)
                    let url = try #require(URL(string: redirect))
                    #expect(delegate.application(.shared, open: url))
                    #expect(!delegate.application(.shared, open: url))
                } catch {
                    Issue.record(error)
                }
            }
        }
        try await body(provider)
        UIApplication.shared.openURL = nil
        await provider.stop()
    }

    /// Starts the app, which shows the state of the previous launch.
    private func launch(
        _ provider: LocalProvider,
        clientID: String? = "sample"
    ) -> (AppAuthExampleViewController, ShownText) {
        let controller = AppAuthExampleViewController(
            issuer: provider.issuer,
            clientID: clientID,
            redirectURI: Self.redirectURI
        )
        let log = ShownText(controller.logTextView)
        controller.viewDidLoad()
        return (controller, log)
    }

    @Test(
        "AppAuth's sample signs in, calls the API, and continues after a new launch until the authorization ends",
        .original("AppAuth Example-iOS_Swift-Carthage, authWithAutoCodeExchange(_:), userinfo(_:)")
    )
    func automaticExchange() async throws {
        try await self.withApp { provider in
            let (controller, log) = self.launch(provider)
            #expect(!controller.userinfoButton.isEnabled)
            controller.authWithAutoCodeExchange(controller.authAutoButton)
            _ = await log.wait(for: "Signed in with a token: ")
            #expect(controller.authState?.isAuthorized == true)
            #expect(controller.userinfoButton.isEnabled)
            #expect(!controller.codeExchangeButton.isEnabled)
            controller.userinfo(controller.userinfoButton)
            #expect(await log.wait(for: "Userinfo: ada@example.com").contains("The token is fresh"))

            let (later, laterLog) = self.launch(provider)
            #expect(later.userinfoButton.isEnabled)
            later.userinfo(later.userinfoButton)
            #expect(await laterLog.wait(for: "Userinfo: ada@example.com").contains("The token is fresh"))
            provider.expireAccessTokens()
            later.userinfo(later.userinfoButton)
            _ = await laterLog.wait(for: "Authorization error: ")
            #expect(later.authState?.isAuthorized == false)
            #expect(!later.userinfoButton.isEnabled)
            #expect(provider.refreshRequestCount == 0)
            later.trashClicked()
            #expect(self.launch(provider).0.authState == nil)
        }
    }

    @Test(
        "AppAuth's sample refreshes a token that is about to expire",
        .original("AppAuth Example-iOS_Swift-Carthage, userinfo(_:)")
    )
    func refresh() async throws {
        try await self.withApp(accessTokenLifetime: 30) { provider in
            let (controller, log) = self.launch(provider)
            controller.authWithAutoCodeExchange(controller.authAutoButton)
            _ = await log.wait(for: "Signed in with a token: ")
            controller.userinfo(controller.userinfoButton)
            #expect(await log.wait(for: "Userinfo: ada@example.com").contains("The token was refreshed"))
            #expect(provider.refreshRequestCount == 1)
            controller.trashClicked()
        }
    }

    @Test(
        "AppAuth's sample exchanges the code when the user chooses to",
        .original("AppAuth Example-iOS_Swift-Carthage, authNoCodeExchange(_:), codeExchange(_:)")
    )
    func manualExchange() async throws {
        try await self.withApp { provider in
            let (controller, log) = self.launch(provider)
            controller.codeExchange(controller.codeExchangeButton)
            _ = await log.wait(for: "There is no code to exchange")
            controller.authNoCodeExchange(controller.authManualButton)
            _ = await log.wait(for: "Received a code: ")
            #expect(controller.codeExchangeButton.isEnabled)
            #expect(controller.authState?.isAuthorized == false)
            controller.codeExchange(controller.codeExchangeButton)
            _ = await log.wait(for: "Exchanged for a token: ")
            #expect(controller.authState?.isAuthorized == true)
            #expect(!controller.codeExchangeButton.isEnabled)
            controller.userinfo(controller.userinfoButton)
            _ = await log.wait(for: "Userinfo: ada@example.com")
            controller.trashClicked()
        }
    }

    @Test(
        "AppAuth's sample reports that a provider does not register clients",
        .original("AppAuth Example-iOS_Swift-Carthage, doClientRegistration(configuration:callback:)")
    )
    func registration() async throws {
        try await self.withApp { provider in
            let (controller, log) = self.launch(provider, clientID: nil)
            controller.authWithAutoCodeExchange(controller.authAutoButton)
            _ = await log.wait(for: "Registration failed: ")
            #expect(controller.authState == nil)
        }
    }
}
#endif
