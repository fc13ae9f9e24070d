// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Testing
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraLocalProvider

@Suite("Local Gmail over HTTP")
struct GmailTests {
    static let users = "/gmail/v1/users/me"

    /// Returns a message as JSON, with its raw content in base64url.
    static func raw(_ lines: String..., more: String = "") -> String {
        #"{"raw": "\#(Base64URL.encode(Array(lines.joined(separator: "\r\n").utf8)))"\#(more)}"#
    }

    static func messages(_ api: LiveAPI, _ parameters: (String, String)...) async throws -> [String] {
        let list = try await api.json(.get, Self.users + "/messages?" + LiveClient.form(parameters))
        return list["messages"]?.elements?.compactMap { $0["id"]?.string } ?? []
    }

    static func header(_ name: String, _ message: JSONValue) -> String? {
        message["payload"]?["headers"]?.elements?.first { $0["name"]?.string == name }?["value"]?.string
    }

    @Test("Delivers mail from the sender's own address and keeps replies in the thread")
    func sending() async throws {
        try await LiveAPI.with(scope: "gmail.modify") { ada in
            let noor = try await LiveAPI(ada.client, scope: "gmail.modify", as: "noor@tessera.example")
            let mail = Self.raw(
                "From: Somebody Else <else@example.org>",
                "To: \"Hadid, Noor\" <Noor@Tessera.Example>",
                "Bcc : secret@example.org,",
                "\tother@example.org",
                "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=",
                "",
                "Hello\r\nNoor"
            )
            let sent = try await ada.json(.post, Self.users + "/messages/send", mail)
            #expect(sent["labelIds"]?.elements?.map { $0.string } == ["SENT"])
            let id = try #require(try await Self.messages(noor, ("q", "from:ada is:unread")).first)
            let message = try await noor.json(.get, Self.users + "/messages/\(id)")
            #expect(Self.header("Subject", message) == "Grüße")
            #expect(Self.header("Bcc", message) == nil)
            #expect(Self.header("From", message) == "Ada Marlow <ada@example.com>")
            #expect(message["snippet"]?.string == "Hello Noor")
            #expect(message["internalDate"] != nil)
            #expect(message["payload"]?["body"]?["data"]?.string == "SGVsbG8NCk5vb3I=")
            let messageID = try #require(Self.header("Message-ID", message))
            let response = Self.raw("To: ada@example.com", "In-Reply-To: \(messageID)", "Subject: Re", "", "Hi")
            let reply = try await noor.json(.post, Self.users + "/messages/send", response)
            #expect(reply["threadId"]?.string == message["threadId"]?.string)
            let thread = try await ada.json(
                .get,
                Self.users + "/threads/\(sent["threadId"]?.string ?? "")?format=minimal"
            )
            #expect(thread["messages"]?.elements?.count == 2)
            let threads = try await ada.json(.get, Self.users + "/threads")
            #expect(threads["threads"]?.elements?.count == 2)
        }
    }

    @Test("Sends messages in both base64 alphabets and as uploads")
    func forms() async throws {
        try await LiveAPI.with(scope: "gmail.modify") { ada in
            let text = "To: ada@example.com\r\nSubject: >>>???\r\n\r\n\u{FF}"
            let plain = MailForms.standard(Array(text.utf8))
            #expect(plain.contains("+") || plain.contains("/"))
            for raw in [plain, Base64URL.encode(Array(text.utf8))] {
                let sent = try await ada.json(.post, Self.users + "/messages/send", #"{"raw": "\#(raw)"}"#)
                #expect(sent["labelIds"]?.elements?.map { $0.string } == ["UNREAD", "SENT", "INBOX"])
                let message = try await ada.json(.get, Self.users + "/messages/\(sent["id"]?.string ?? "")?format=raw")
                let bytes = Base64URL.decode(message["raw"]?.string?.replacing("=", with: "") ?? "") ?? []
                #expect(String(decoding: bytes, as: UTF8.self).hasSuffix(text))
            }
            let upload = "/upload" + Self.users + "/messages/send?uploadType="
            #expect(try await ada.send(.post, upload + "media", text, type: "message/rfc822").status == .ok)
            let thread = try await Self.messages(ada).first ?? ""
            let related =
                "--b\r\nContent-Type: application/json\r\n\r\n{\"threadId\": \"\(thread)\"}\r\n"
                + "--b\r\nContent-Type: message/rfc822\r\n\r\n\(text)\r\n--b--"
            let sent = try await ada.send(.post, upload + "multipart", related, type: "multipart/related; boundary=b")
            #expect(try sent.json["threadId"]?.string == thread)
            #expect(try await Self.messages(ada, ("q", "subject:>>>???")).count == 4)
            let bad: [(String, String, String)] = [
                (Self.users + "/messages/send", "{}", "application/json"),
                (Self.users + "/messages/send", #"{"raw": "!"}"#, "application/json"),
                (Self.users + "/messages/send", "[", "application/json"),
                (Self.users + "/messages/send", Self.raw("Subject: to nobody", "", "x"), "application/json"),
                (Self.users + "/messages/send", Self.raw("no head", "", "x"), "application/json"),
                (upload + "media", text, "text/plain"), (upload + "multipart", text, "message/rfc822"),
                (upload + "resumable", text, "message/rfc822"),
            ]
            for (path, body, type) in bad {
                #expect(try await ada.send(.post, path, body, type: type).status == .badRequest)
            }
            let lost = Self.raw("To: ada@example.com", "", "x", more: #", "threadId": "gone""#)
            #expect(try await ada.failure(.post, Self.users + "/messages/send", lost) == "404 notFound")
        }
    }

    @Test("Returns the text of a multipart message and each attachment separately")
    func parts() async throws {
        try await LiveAPI.with(scope: "gmail.modify") { ada in
            let mail = Self.raw(
                "To: ada@example.com",
                "Content-Type: multipart/mixed; boundary=\"o\"",
                "",
                "--o",
                "Content-Type: multipart/alternative; boundary=i",
                "",
                "--i",
                "Content-Type: text/plain; charset=utf-8",
                "Content-Transfer-Encoding: quoted-printable",
                "",
                "sch=C3=B6n=",
                "er",
                "--i",
                "Content-Type: text/html",
                "",
                "<b>x</b>",
                "--i--",
                "--o",
                "Content-Type: text/csv; name=a.csv",
                "Content-Disposition: attachment; filename=\"a.csv\"",
                "Content-Transfer-Encoding: base64",
                "",
                "MSwy",
                "--o--",
                ""
            )
            let id = try await ada.json(.post, Self.users + "/messages/send", mail)["id"]?.string ?? ""
            let message = try await ada.json(.get, Self.users + "/messages/\(id)?format=full")
            #expect(message["snippet"]?.string == "schöner")
            let parts = try #require(message["payload"]?["parts"])
            #expect(parts[0]?["parts"]?[1]?["mimeType"]?.string == "text/html")
            #expect(parts[0]?["parts"]?[1]?["partId"]?.string == "0.1")
            #expect(parts[1]?["filename"]?.string == "a.csv")
            let attachment = parts[1]?["body"]?["attachmentId"]?.string ?? ""
            let path = Self.users + "/messages/\(id)/attachments/"
            #expect(try await ada.json(.get, path + attachment)["data"]?.string == "MSwy")
            #expect(try await ada.failure(.get, path + "other") == "400 invalidArgument")
            #expect(try await Self.messages(ada, ("q", "has:attachment filename:csv")) == [id])
            let fields = try await ada.json(.get, Self.users + "/messages/\(id)?fields=payload/parts/filename,id")
            #expect(fields["payload"]?["parts"]?[1]?["filename"]?.string == "a.csv")
            #expect(fields["snippet"] == nil)
        }
    }

    @Test("Creates, applies, searches, renames and deletes labels")
    func labels() async throws {
        try await LiveAPI.with(scope: "gmail.modify") { ada in
            let label = try await ada.json(.post, Self.users + "/labels", #"{"name": "To do"}"#)
            let id = try #require(label["id"]?.string)
            #expect(try await ada.failure(.post, Self.users + "/labels", #"{"name": "to DO"}"#) == "409 aborted")
            for bad in ["{}", #"{"name": "Inbox"}"#, #"{"name": 1}"#, #"{"name": "x", "labelListVisibility": "x"}"#] {
                #expect(try await ada.failure(.post, Self.users + "/labels", bad) == "400 invalidArgument")
            }
            let message = try #require(try await Self.messages(ada).first)
            let path = Self.users + "/messages/\(message)/modify"
            let change = #"{"addLabelIds": ["\#(id)", "STARRED"], "removeLabelIds": ["UNREAD"]}"#
            let labels = try await ada.json(.post, path, change)["labelIds"]?.elements?.map { $0.string }
            #expect(labels == ["INBOX", id, "STARRED"])
            #expect(try await Self.messages(ada, ("q", "label:to-do is:starred -is:unread")) == [message])
            #expect(try await Self.messages(ada, ("labelIds", id), ("labelIds", "UNREAD")).isEmpty)
            let counts = try await ada.json(.get, Self.users + "/labels/\(id)")
            #expect(counts["messagesTotal"]?.numberText == "1")
            #expect(counts["messagesUnread"]?.numberText == "0")
            let bad = [#"{"addLabelIds": ["SENT"]}"#, #"{"addLabelIds": ["none"]}"#, "{}"]
            for bad in bad { #expect(try await ada.failure(.post, path, bad) == "400 invalidArgument") }
            let renamed = try await ada.json(.patch, Self.users + "/labels/\(id)", #"{"name": "Done"}"#)
            #expect(renamed["name"]?.string == "Done")
            #expect(renamed["id"]?.string == id)
            #expect(try await ada.failure(.delete, Self.users + "/labels/INBOX") == "400 invalidArgument")
            #expect(try await ada.send(.delete, Self.users + "/labels/\(id)").status == .noContent)
            #expect(try await ada.failure(.get, Self.users + "/labels/\(id)") == "404 notFound")
            #expect(try await ada.json(.get, Self.users + "/labels")["labels"]?.elements?.count == 14)
            #expect(try await ada.failure(.get, Self.users + "/messages?labelIds=\(id)") == "400 invalidArgument")
        }
    }

    @Test("Trashes and deletes messages and records both in the history")
    func trashAndHistory() async throws {
        try await LiveAPI.with(scope: "https://mail.google.com/") { ada in
            let start = try await ada.json(.get, Self.users + "/profile")["historyId"]?.string ?? ""
            let id = try #require(try await Self.messages(ada).first)
            let trashed = try await ada.json(.post, Self.users + "/messages/\(id)/trash")
            #expect(trashed["labelIds"]?.elements?.contains { $0.string == "TRASH" } == true)
            #expect(try await Self.messages(ada).isEmpty)
            #expect(try await Self.messages(ada, ("q", "in:trash")) == [id])
            #expect(try await Self.messages(ada, ("includeSpamTrash", "true")) == [id])
            _ = try await ada.json(.post, Self.users + "/messages/\(id)/untrash")
            #expect(try await ada.send(.delete, Self.users + "/messages/\(id)").status == .noContent)
            #expect(try await ada.failure(.get, Self.users + "/messages/\(id)") == "404 notFound")
            let history = try await ada.json(.get, Self.users + "/history?startHistoryId=\(start)")
            let kinds = history["history"]?.elements?.compactMap { $0.members?.map(\.name).last } ?? []
            #expect(kinds == ["labelsAdded", "labelsRemoved", "labelsRemoved", "messagesDeleted"])
            let deleted = "/history?historyTypes=messageDeleted&startHistoryId="
            let some = try await ada.json(.get, Self.users + deleted + start)
            #expect(some["history"]?.elements?.count == 1)
            #expect(try await ada.failure(.get, Self.users + deleted + "1") == "404 notFound")
            #expect(try await ada.failure(.get, Self.users + "/history") == "400 invalidArgument")
        }
    }

    @Test("Creates, updates and sends drafts")
    func drafts() async throws {
        try await LiveAPI.with(scope: "gmail.compose gmail.readonly") { ada in
            let mail = Self.raw("To: ada@example.com", "Subject: First", "", "x")
            let draft = try await ada.json(.post, Self.users + "/drafts", #"{"message": \#(mail)}"#)
            let path = Self.users + "/drafts/\(draft["id"]?.string ?? "")"
            #expect(draft["message"]?["labelIds"]?[0]?.string == "DRAFT")
            let second = Self.raw("To: ada@example.com", "Subject: Second", "", "x")
            _ = try await ada.json(.put, path, #"{"message": \#(second)}"#)
            #expect(try await ada.json(.get, Self.users + "/drafts")["drafts"]?.elements?.count == 1)
            #expect(try await Self.messages(ada, ("q", "in:drafts subject:second")).count == 1)
            let sent = try await ada.json(
                .post,
                Self.users + "/drafts/send",
                #"{"id": "\#(draft["id"]?.string ?? "")"}"#
            )
            #expect(sent["labelIds"]?.elements?.map { $0.string } == ["UNREAD", "SENT", "INBOX"])
            #expect(try await ada.failure(.get, path) == "404 notFound")
            #expect(try await Self.messages(ada, ("q", "subject:second")) == [sent["id"]?.string ?? ""])
            #expect(try await ada.failure(.post, Self.users + "/drafts", #"{"message": {}}"#) == "400 invalidArgument")
        }
    }

    @Test("Pages message lists and rejects a page token of another query")
    func paging() async throws {
        try await LiveAPI.with(scope: "gmail.modify") { ada in
            for number in 1...4 {
                let mail = Self.raw(
                    "To: x@example.org",
                    "Subject: Number \(number)",
                    "",
                    "x",
                    more: #", "labelIds": ["INBOX"]"#
                )
                _ = try await ada.json(.post, Self.users + "/messages", mail)
            }
            let first = try await ada.json(.get, Self.users + "/messages?maxResults=3")
            #expect(first["messages"]?.elements?.count == 3)
            #expect(first["resultSizeEstimate"]?.numberText == "5")
            let token = try #require(first["nextPageToken"]?.string)
            let second = try await ada.json(.get, Self.users + "/messages?maxResults=3&pageToken=\(token)")
            #expect(second["messages"]?.elements?.count == 2)
            #expect(second["nextPageToken"] == nil)
            let found = try await Self.messages(
                ada,
                ("q", "subject:\"number 2\" OR subject:\"number 3\" ("),
                ("maxResults", "5")
            )
            #expect(found.count == 2)
            for bad in ["pageToken=unknown", "pageToken=\(token)&q=x"] {
                #expect(try await ada.failure(.get, Self.users + "/messages?\(bad)") == "400 invalidArgument")
            }
            #expect(try await ada.failure(.get, Self.users + "/messages?maxResults=0") == "400 invalid")
        }
    }

    @Test("Supports Gmail calls in a batch")
    func batch() async throws {
        try await LiveAPI.with(scope: "gmail.readonly") { ada in
            let calls = ["labels", "profile", "messages/unknown"].map { "GET \(Self.users)/\($0) HTTP/1.1\r\n\r\n" }
            let response = try await BatchTests.send(ada, calls, to: "/batch/gmail/v1")
            #expect(try BatchTests.parts(response).map(\.status) == [200, 200, 404])
        }
    }
}

/// Base64 in the standard alphabet, which is not URL-safe.
private enum MailForms {
    static func standard(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes).replacing("-", with: "+").replacing("_", with: "/")
        return text + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }
}
#endif
