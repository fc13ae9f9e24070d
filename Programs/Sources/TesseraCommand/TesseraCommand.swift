// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// `tessera`: sign-in and authorized calls from a shell.
struct TesseraCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tessera",
        abstract: "Signs you in with Google or any OpenID Connect provider, and calls APIs for you.",
        discussion: """
            Examples:
              tessera login --google --client client_secret.json
              tessera scopes add https://www.googleapis.com/auth/drive.readonly
              tessera fetch https://www.googleapis.com/drive/v3/files
              tessera drive ls
              tessera api drive.files.list --page-size 10
              curl -H "$(tessera token --header)" https://www.googleapis.com/drive/v3/about?fields=user
              tessera import ~/.config/gcloud/application_default_credentials.json
              tessera demo

            Exit codes: 0 done, 2 usage, 3 the provider or the person said no, 4 an answer broke the protocol,
            5 network or busy server, 6 sign-in needed, 7 session store, 130 interrupted.
            """,
        version: "0.1.0",
        subcommands: [
            LoginCommand.self, AccountsCommand.self, StatusCommand.self, DoctorCommand.self, ScopesCommand.self,
            TokenCommand.self, FetchCommand.self, ImportCommand.self, ExportCommand.self, APICommand.self,
            DriveCommand.self, GmailCommand.self, StorageCommand.self, GenerateCommand.self,
            UserInfoCommand.self, LogoutCommand.self, StoreCommand.self, AgentCommand.self, RegisterCommand.self,
            RegisterSchemeCommand.self, DiscoverCommand.self, InspectCommand.self, ProviderCommand.self,
            DemoCommand.self,
        ]
    )
}
