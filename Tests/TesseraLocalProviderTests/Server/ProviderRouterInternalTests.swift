// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Testing
internal import TesseraJSON
@testable internal import TesseraLocalProvider

@Suite("Provider routes")
struct ProviderRouterInternalTests {
    static let unknown = [
        ("/drive/v3/files/", "This Drive only"), ("/drive/v3//files", "This Drive only"),
        ("/drive/v3/files/a/b/c/d", "This Drive only"), ("/upload/drive/v3/changes", "This Drive only"),
        ("/gmail/v1/users/me/nothing", "This Gmail only"), ("/gmail/v1/users/me/messages/", "This Gmail only"),
        ("/upload/gmail/v1/users/me/labels", "This Gmail only"), ("/token/", "There is no page"),
        ("//token", "There is no page"), ("/avatars/a/b.svg", "There is no page"),
    ]

    @Test(
        "Returns an API-specific 404 for unknown paths and other spellings",
        arguments: unknown,
        [HTTPRequest.Method.get, .post]
    )
    func unknownAddress(address: (path: String, text: String), method: HTTPRequest.Method) async throws {
        let response = await (try DriveUnderTest()).send(method, address.path)
        #expect(response.status == .notFound)
        #expect(response.text.contains(address.text))
    }

    static let refused: [(HTTPRequest.Method, String, String)] = [
        (.get, "/token", "POST"), (.delete, "/v1/userinfo", "GET, POST"), (.post, "/oauth2/v3/certs", "GET"),
        (.put, "/o/oauth2/v2/auth", "GET, POST"), (.get, "/batch", "POST"), (.patch, "/avatars/a.svg", "GET"),
    ]

    @Test("Rejects an unsupported method and lists the allowed ones", arguments: refused)
    func method(method: HTTPRequest.Method, path: String, allowed: String) async throws {
        let response = await (try DriveUnderTest()).send(method, path)
        #expect(response.status == .methodNotAllowed)
        #expect(response.headers[.allow] == allowed)
    }

    @Test(
        "Responds to HEAD like GET but without a body",
        arguments: ["/oauth2/v3/certs", "/drive/v3/files", "/nothing"]
    )
    func head(path: String) async throws {
        let drive = try DriveUnderTest()
        let (head, get) = (await drive.send(.head, path), await drive.send(.get, path))
        #expect(head.status == get.status)
        #expect(head.bytes.isEmpty)
        #expect(head.headers[.contentLength] == String(get.bytes.count))
    }

    @Test("Applies Drive faults to unknown Drive paths but not to other APIs")
    func faults() async throws {
        let drive = try DriveUnderTest()
        #expect(await drive.send(.get, "/drive/v3/nothing", fault: .status(503)).status == .serviceUnavailable)
        #expect(await drive.send(.get, "/drive/v3/nothing", fault: .lostResponse).isLost)
        #expect(await drive.send(.get, "/oauth2/v3/certs", fault: .lostResponse).status == .ok)
        #expect(drive.service.withState { $0.behavior.driveFaults } == [.lostResponse])
    }

    @Test("Closes the connection if a body is too large", arguments: [256 << 10, (256 << 10) + 1])
    func bodyLimit(count: Int) async throws {
        let drive = try DriveUnderTest()
        let response = await drive.send(.post, "/token", body: [UInt8](repeating: 0, count: count))
        let isTooLarge = count > 256 << 10
        #expect(response.status == (isTooLarge ? .contentTooLarge : .badRequest))
        #expect(response.headers[.connection] == (isTooLarge ? "close" : nil))
    }

    @Test("Loses a batch response if the response to a call is truncated")
    func cutBatch() async throws {
        let drive = try DriveUnderTest()
        let call = "--b\r\nContent-Type: application/http\r\n\r\nGET /drive/v3/files HTTP/1.1\r\n\r\n"
        let fields = ["Content-Type": "multipart/mixed; boundary=b"]
        let body = Array("\(call)--b--\r\n".utf8)
        #expect(await drive.send(.post, "/batch", fields, body: body).status == .ok)
        #expect(await drive.send(.post, "/batch", fields, body: body, fault: .truncatedResponse(3)).isLost)
    }
}
#endif
