// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import GoogleDriveV3
internal import GoogleGmailV1
internal import HTTPTypes
internal import Tessera
internal import TesseraFetch
internal import TesseraGoogleAPI
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// The code in the guides of `TesseraGoogleAPI`.
@Suite("Guides for Google APIs")
struct GoogleAPIGuideTests {
    private static func source() throws -> FixedTokenSource {
        try FixedTokenSource(for: "https://www.googleapis.com", "https://gmail.googleapis.com")
    }

    // guide: list-drive-files
    func names(in drive: DriveV3) async throws -> [String] {
        let call = drive.files.list(orderBy: "modifiedTime desc", pageSize: 100, q: "trashed = false")
        var names: [String] = []
        for try await file in call.fields(.in(\DriveV3.FileList.files, .of(\DriveV3.File.name, \.size))).items {
            names.append("\(file.name ?? "–"), \(file.size ?? 0) bytes")
        }
        return names
    }
    // end

    // guide: change-a-drive-file
    func rename(_ id: String, to name: String, in drive: DriveV3) async throws -> DriveV3.File {
        var change = DriveV3.File { $0.name = name }
        change.setNull(\.description)
        return try await drive.files.update(change, fileId: id).execute()
    }
    // end

    // guide: ask-for-scope
    func names(in drive: DriveV3, asking signIn: SignIn, _ session: OAuthSession) async throws -> [String] {
        do {
            return try await self.names(in: drive)
        } catch is MissingScopeError {
            try await signIn.addScopes([DriveV3.Scope.driveMetadataReadonly], to: session)
            return try await self.names(in: drive)
        }
    }
    // end

    // guide: send-a-mail
    func send(_ text: String, to address: String, by gmail: GmailV1) async throws -> String? {
        let mail = "To: \(address)\r\nSubject: Hello\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\(text)\r\n"
        let message = GmailV1.Message { $0.raw = Data(mail.utf8) }
        return try await gmail.users.messages.send(message, userId: "me").execute().id
    }
    // end

    // guide: trash-mails
    func trash(_ ids: [String], by gmail: GmailV1) async throws -> [String] {
        let responses = try await gmail.batch(ids.map { gmail.users.messages.trash(userId: "me", id: $0) })
        return zip(ids, responses).compactMap { id, response in (try? response.get()) == nil ? id : nil }
    }
    // end

    @Test("Lists files page by page with the requested fields")
    func lists() async throws {
        let network = ScriptedTransport { request in
            request.head.path?.contains("pageToken=2") == true
                ? .json(#"{"files":[{"name":"b"}]}"#)
                : .json(#"{"files":[{"name":"a","size":"12"}],"nextPageToken":"2"}"#)
        }
        let drive = DriveV3(try Self.source(), transport: network)
        #expect(try await self.names(in: drive) == ["a, 12 bytes", "b, 0 bytes"])
        let fields = network.requests.first?.query.first { $0.name == "fields" }?.value
        #expect(fields == "nextPageToken,files(name,size)")
    }

    @Test("Sends only changed members, and null for removed ones")
    func changes() async throws {
        let network = ScriptedTransport([.json(#"{"name":"n"}"#)])
        let drive = DriveV3(try Self.source(), transport: network)
        #expect(try await self.rename("1", to: "n", in: drive).name == "n")
        #expect(network.requests.first?.text == #"{"name":"n","description":null}"#)
        #expect(network.requests.first?.head.method == .patch)
    }

    @Test("Requests a missing scope and repeats the call")
    func asksForScope() async throws {
        let provider = try ScriptedProvider()
        var configuration = try provider.provider
        configuration.authorizedOrigins = [try OriginPattern("https://www.googleapis.com")]
        provider.intercept("/drive/v3/files") { _ in .json(#"{"files":[{"name":"a"}]}"#) }
        let signIn = SignIn(
            configuration,
            runtime: provider.runtime,
            store: InMemoryStore(),
            userAgent: provider.userAgent()
        )
        let session = try await signIn.signIn(scopes: [.openID])
        let names = try await self.names(in: DriveV3(session: session), asking: signIn, session)
        #expect(names == ["a, 0 bytes"])
        #expect(session.grantedScopes.contains(DriveV3.Scope.driveMetadataReadonly))
    }

    @Test("Sends an email and moves emails to the trash in a batch")
    func mails() async throws {
        let network = ScriptedTransport { request in
            guard request.path == "/batch" else { return .json(#"{"id":"7"}"#) }
            let part = "--x\r\nContent-ID: <response-0>\r\n\r\nHTTP/1.1 200 OK\r\n\r\n{}\r\n"
            let other = "--x\r\nContent-ID: <response-1>\r\n\r\nHTTP/1.1 404 Not Found\r\n\r\n{}\r\n--x--"
            return .json(part + other, headerFields: [.contentType: "multipart/mixed; boundary=x"])
        }
        let gmail = GmailV1(try Self.source(), transport: network)
        #expect(try await self.send("Hi", to: "ada@example.com", by: gmail) == "7")
        #expect(network.requests.first?.head.path == "/gmail/v1/users/me/messages/send?prettyPrint=false")
        #expect(try await self.trash(["1", "2"], by: gmail) == ["2"])
    }
}
