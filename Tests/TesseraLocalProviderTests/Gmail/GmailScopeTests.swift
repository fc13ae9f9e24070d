// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider

@Suite("Local Gmail scopes")
struct GmailScopeTests {
    static let calls: [(String, [(String, Int)])] = [
        (
            "gmail.readonly",
            [
                ("GET messages", 200), ("GET messages/x", 404), ("GET labels", 200), ("GET drafts", 200),
                ("POST messages/send", 403), ("POST messages/x/modify", 403), ("POST labels", 403),
            ]
        ),
        (
            "gmail.send",
            [("POST messages/send", 400), ("GET messages", 403), ("GET profile", 403), ("POST drafts", 403)]
        ),
        (
            "gmail.modify",
            [
                ("POST messages/x/modify", 404), ("POST messages/x/trash", 404), ("POST messages/send", 400),
                ("DELETE messages/x", 403), ("DELETE threads/x", 403), ("POST messages/batchDelete", 403),
            ]
        ),
        (
            "gmail.metadata",
            [
                ("GET messages", 200), ("GET messages?q=x", 403), ("GET labels", 200), ("GET profile", 200),
                ("GET messages/x?format=full", 403), ("GET messages/x?format=metadata", 404), ("GET drafts", 403),
            ]
        ),
        (
            "gmail.compose",
            [("GET drafts?q=x", 200), ("GET drafts/x", 404), ("POST drafts", 400), ("GET messages", 403)]
        ),
        ("gmail.metadata gmail.compose", [("GET messages?q=x", 403), ("GET drafts?q=x", 200)]),
        ("gmail.labels", [("GET labels", 200), ("POST labels", 400), ("GET messages", 403)]),
        ("https://mail.google.com/", [("DELETE messages/x", 404), ("GET nothing", 404), ("GET messages/a/b/c", 404)]),
        ("drive", [("GET messages", 403), ("GET labels", 403)]),
    ]

    @Test("Allows only the calls of each Gmail scope", arguments: calls)
    func scopes(scope: String, calls: [(String, Int)]) async throws {
        try await LiveAPI.with(scope: scope) { ada in
            for (call, status) in calls {
                let words = call.split(separator: " ").map(String.init)
                let method = try #require(HTTPRequest.Method(words[0]))
                let body = method == .post ? "{}" : nil
                let response = try await ada.send(method, "/gmail/v1/users/me/\(words[1])", body)
                #expect(response.status.code == status, "\(scope): \(call)")
            }
        }
    }

    @Test("Accepts only the caller as the user, as me or by address")
    func users() async throws {
        try await LiveAPI.with(scope: "gmail.metadata") { ada in
            let profile = try await ada.json(.get, "/gmail/v1/users/Ada%40example.com/profile")
            #expect(profile["emailAddress"]?.string == "ada@example.com")
            for user in ["noor@tessera.example", "x", ""] {
                let response = try await ada.send(.get, "/gmail/v1/users/\(user)/profile")
                #expect([403, 404].contains(response.status.code))
            }
            let error = try await ada.send(.post, "/gmail/v1/users/me/messages/send", "{}").json["error"]
            #expect(error?["details"]?[0]?["metadata"]?["service"]?.string == "gmail.googleapis.com")
            let bad = try await ada.client.get("/gmail/v1/users/me/profile", token: "unknown")
            #expect(bad.status == .unauthorized)
            #expect(bad.fields[.wwwAuthenticate]?.contains("invalid_token") == true)
        }
    }
}
#endif
