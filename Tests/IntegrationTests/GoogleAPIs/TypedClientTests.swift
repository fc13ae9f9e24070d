// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Foundation
internal import GoogleDriveV3
internal import GoogleGmailV1
internal import Tessera
internal import TestTransport
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraLocalProvider
internal import TesseraOAuth
internal import Testing

@Suite("Generated clients with the local provider")
struct TypedClientTests {
    /// Runs `body` with a session that has these scopes, at a new provider.
    private static func withSession(
        _ scopes: [Scope],
        _ body: (LocalProvider, OAuthSession, APISettings) async throws -> Void
    ) async throws {
        let provider = try await LocalProvider.start()
        let session = try await RefreshRounds.signIn(at: provider, store: InMemoryStore(), scopes: [.openID] + scopes)
        try await body(provider, session, APISettings(rootURL: provider.baseURL))
        await provider.stop()
    }

    @Test("Creates, lists, changes, copies, trashes and deletes files")
    func files() async throws {
        try await Self.withSession([DriveV3.Scope.drive]) { _, session, settings in
            let drive = DriveV3(session: session, settings: settings)
            let folder = try await drive.files
                .create(
                    DriveV3.File {
                        $0.name = "Folder"
                        $0.mimeType = "application/vnd.google-apps.folder"
                    }
                )
                .execute()
            let parent = try #require(folder.id)
            for number in 0..<7 {
                try await drive.files
                    .create(
                        DriveV3.File {
                            $0.name = "note \(number)"
                            $0.parents = [parent]
                            $0.description = "a note"
                        }
                    )
                    .upload(HTTPBody("text \(number)"), contentType: "text/plain")
            }
            let list = drive.files.list(orderBy: "name desc", pageSize: 3, q: "'\(parent)' in parents")
            var names: [String] = []
            for try await file in list.fields("files(id,name)").items { names.append(file.name ?? "") }
            #expect(names == (0..<7).reversed().map { "note \($0)" })

            let first = try #require(try await list.execute().files?.first)
            var change = DriveV3.File { $0.starred = true }
            change.setNull(\.description)
            let id = try #require(first.id)
            try await drive.files.update(change, fileId: id).execute()
            let changed = try await drive.files.get(fileId: id).fields("name,starred,description,size").execute()
            #expect(changed.starred == true)
            #expect(changed.description == nil)
            #expect(changed.size == 6)

            let copy = try await drive.files.copy(DriveV3.File { $0.name = "copy" }, fileId: id).execute()
            #expect(copy.id != id)
            #expect(copy.name == "copy")
            try await drive.files.update(DriveV3.File { $0.trashed = true }, fileId: id).execute()
            let trashed = try await list.fields("files(id,trashed)").execute().files
            #expect(trashed?.contains { $0.trashed == true && $0.id == id } == true)
            try await drive.files.delete(fileId: id).execute()
            let error = await #expect(throws: GoogleAPIError.self) { try await drive.files.get(fileId: id).execute() }
            #expect(error?.httpStatus == 404)
            #expect(error?.reasonNames == ["notFound"])
        }
    }

    @Test("Uploads a file resumably, and downloads it in full and in part")
    func transfers() async throws {
        try await Self.withSession([DriveV3.Scope.driveFile]) { _, session, settings in
            let drive = DriveV3(session: session, settings: settings)
            let content = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
            let file = try await drive.files.create(DriveV3.File { $0.name = "large" })
                .uploadResumably(HTTPBody(content), contentType: "application/x-test", pieceSize: 262_144)
            let call = drive.files.get(fileId: try #require(file.id))
            #expect(try await call.media(range: 10...19).collect(upTo: 100) == Array(content[10...19]))
            let path = FileManager.default.temporaryDirectory.path + "/typed-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: path) }
            try await call.download(to: path)
            #expect(Array(try Data(contentsOf: URL(filePath: path))) == content)
        }
    }

    @Test("A batch returns a result for each call and retries rate-limited calls")
    func batch() async throws {
        try await Self.withSession([DriveV3.Scope.drive]) { provider, session, settings in
            var fetching = FetchSettings.google
            fetching.backoff = Backoff(initial: .milliseconds(1), cap: .milliseconds(5))
            let drive = DriveV3(fetcher: session.fetcher(settings: fetching), settings: settings)
            let created = try await drive.batch(
                (0..<120).map { number in drive.files.create(DriveV3.File { $0.name = "file \(number)" }) }
            )
            #expect(try created.map { try $0.get().name } == (0..<120).map { "file \($0)" })
            let ids = try created.prefix(9).map { try #require(try $0.get().id) }
            var calls = ids.map { drive.files.get(fileId: $0) }
            calls[4] = drive.files.get(fileId: "nowhere")
            provider.change { $0.limitDriveRate(ofNext: 3) }
            let found = try await drive.batch(calls)
            #expect(throws: GoogleAPIError.self) { try found[4].get() }
            for location in [0, 1, 2, 3, 5, 6, 7, 8] {
                #expect(try found[location].get().name == "file \(location)")
            }
            let (about, list) = try await drive.batch(drive.about.get().fields("user"), drive.files.list(pageSize: 2))
            #expect(try about.get().user?.me == true)
            #expect(try list.get().files?.count == 2)
        }
    }

    @Test("Rejects a call without the required scope before it is sent and suggests a scope")
    func scopes() async throws {
        try await Self.withSession([DriveV3.Scope.driveMetadataReadonly]) { _, session, settings in
            let drive = DriveV3(session: session, settings: settings)
            try await drive.files.list().execute()
            let error = await #expect(throws: MissingScopeError.self) {
                try await drive.files.delete(fileId: "1").execute()
            }
            #expect(error?.methodID == "drive.files.delete")
            #expect(error?.anyOf.contains(DriveV3.Scope.drive) == true)
            #expect(error?.recoverySuggestion?.contains(DriveV3.Scope.driveFile.rawValue) == true)
            var unchecked = settings
            unchecked.checksScopes = false
            let other = DriveV3(session: session, settings: unchecked)
            let refusal = await #expect(throws: GoogleAPIError.self) {
                try await other.files.delete(fileId: "1").execute()
            }
            #expect(refusal?.isInsufficientScope == true)
        }
    }

    @Test("Sends, finds, reads, labels and deletes an email")
    func mail() async throws {
        try await Self.withSession([GmailV1.Scope.mailGoogleCom]) { _, session, settings in
            let gmail = GmailV1(session: session, settings: settings)
            let address = try #require(try await gmail.users.getProfile(userId: "me").execute().emailAddress)
            let text =
                "To: \(address)\r\nSubject: Hello there\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n¿Qué?\r\n"
            let sent = try await gmail.users.messages
                .send(
                    GmailV1.Message { $0.raw = Data(text.utf8) },
                    userId: "me"
                )
                .execute()
            let id = try #require(sent.id)
            let found = gmail.users.messages.list(userId: "me", maxResults: 1, q: "subject:Hello")
            var ids: [String] = []
            for try await message in found.items { ids.append(message.id ?? "") }
            #expect(ids.contains(id))
            let read = try await gmail.users.messages.get(userId: "me", id: id, format: .full).execute()
            let subject = read.payload?.headers?.first { $0.name == "Subject" }?.value
            #expect(subject == "Hello there")
            #expect(read.payload?.body?.data.map { String(decoding: $0, as: UTF8.self) }?.contains("¿Qué?") == true)
            let marked = try await gmail.users.messages
                .modify(
                    GmailV1.ModifyMessageRequest { $0.addLabelIds = ["STARRED"] },
                    userId: "me",
                    id: id
                )
                .execute()
            #expect(marked.labelIds?.contains("STARRED") == true)
            try await gmail.users.messages.delete(userId: "me", id: id).execute()
            await #expect(throws: GoogleAPIError.self) {
                try await gmail.users.messages.get(userId: "me", id: id).execute()
            }
        }
    }
}
#endif
