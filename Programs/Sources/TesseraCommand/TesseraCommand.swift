// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
internal import TesseraConsole

/// `tessera`: sign-in and authorized API calls from the command line.
struct TesseraCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tessera",
        abstract: "Sign in with Google or another provider, and call APIs",
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

            Exit codes: 0 success, 2 usage error, 3 request denied by the provider, the API or the user, 4 invalid \
            response, 5 network error or busy server, 6 sign-in required, 7 session store error, 130 interrupted.
            """,
        version: ReleaseVersion.summary,
        groupedSubcommands: [
            CommandGroup(
                name: "Sign-in",
                subcommands: [
                    LoginCommand.self, LogoutCommand.self, AccountsCommand.self, StatusCommand.self,
                    ScopesCommand.self, UserInfoCommand.self, RegisterCommand.self, RegisterSchemeCommand.self,
                ]
            ),
            CommandGroup(
                name: "Tokens and calls",
                subcommands: [
                    TokenCommand.self, FetchCommand.self, CredentialsCommand.self, AgentCommand.self,
                    InspectCommand.self,
                ]
            ),
            CommandGroup(
                name: "Google",
                subcommands: [
                    APICommand.self, DriveCommand.self, GmailCommand.self, CalendarCommand.self, StorageCommand.self,
                    GenerateCommand.self,
                ]
            ),
            CommandGroup(
                name: "Stores",
                subcommands: [StoreCommand.self, ImportCommand.self, ExportCommand.self]
            ),
            CommandGroup(
                name: "Tools",
                subcommands: [
                    DoctorCommand.self, DiscoverCommand.self, ProviderCommand.self, DemoCommand.self,
                ]
            ),
        ]
    )
}
