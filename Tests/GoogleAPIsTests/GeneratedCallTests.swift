// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import GoogleCalendarV3
internal import GoogleDocsV1
internal import GoogleDriveV3
internal import GoogleGmailV1
internal import GoogleOAuth2V2
internal import GooglePeopleV1
internal import GoogleSheetsV4
internal import GoogleSlidesV1
internal import GoogleStorageV1
internal import GoogleTasksV1
internal import GoogleYouTubeV3
internal import TesseraGoogleAPI
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Generated API methods")
struct GeneratedCallTests {
    private static let apis: [any MethodCalls.Type] = [
        CalendarV3Calls.self, DocsV1Calls.self, DriveV3Calls.self, GmailV1Calls.self, OAuth2V2Calls.self,
        PeopleV1Calls.self, SheetsV4Calls.self, SlidesV1Calls.self, StorageV1Calls.self, TasksV1Calls.self,
        YouTubeV3Calls.self,
    ]

    private static func calls<Calls: MethodCalls>(_ type: Calls.Type) throws -> [MadeCall] {
        Calls.all(
            Calls.Client(try FixedTokenSource(for: "https://*.googleapis.com"), transport: ScriptedTransport([]))
        )
    }

    /// Returns the HTTP methods and URLs of Google's Python client for the same arguments.
    private static func expected() throws -> JSONValue {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/urls.json")
        return try JSONValue(parsing: Array(try Data(contentsOf: file)))
    }

    /// Returns a URL without its query, and the sorted query parameters that both clients send.
    private static func parts(_ url: String) -> (location: String, parameters: [String]) {
        let parts = url.split(separator: "?", maxSplits: 1).map(String.init)
        let parameters = (parts.count > 1 ? parts[1].split(separator: "&") : [])
            .map { String($0.replacing("+", with: "%20").replacing("%2B", with: "+").removingPercentEncoding ?? "?") }
            .filter { !["alt=json", "prettyPrint=false", "alt=media"].contains($0) }
        return (parts[0], parameters.sorted())
    }

    @Test("Builds the same URLs as google-api-python-client for the same arguments")
    func urls() throws {
        let expected = try Self.expected()
        var seen: Set<String> = []
        for call in try Self.apis.flatMap({ try Self.calls($0) }) {
            let other = try #require(expected[call.methodID]?.elements, "\(call.methodID) is not in the fixture")
            let (method, url) = try call.message()
            let (ours, theirs) = (Self.parts(url), Self.parts(other.dropFirst().first?.string ?? ""))
            #expect(method == other.first?.string, "\(call.methodID)")
            #expect(ours.location == theirs.location, "\(call.methodID)")
            #expect(ours.parameters == theirs.parameters, "\(call.methodID)")
            seen.insert(call.methodID)
        }
        #expect(seen == Set(expected.members?.map(\.name) ?? []))
        #expect(seen.count > 410)
    }

    @Test("Declares the scopes of the discovery documents under short names")
    func scopes() {
        #expect(DriveV3.Scope.driveReadonly == "https://www.googleapis.com/auth/drive.readonly")
        #expect(GmailV1.Scope.mailGoogleCom == "https://mail.google.com/")
        #expect(OAuth2V2.Scope.openid == .openID)
    }
}
