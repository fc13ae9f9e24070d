// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Testing
internal import TesseraJSON
@testable internal import TesseraLocalProvider

@Suite("The provider's routes")
struct ProviderRouterInternalTests {
    static let unknown = [
        ("/drive/v3/files/", "This Drive knows"), ("/drive/v3//files", "This Drive knows"),
        ("/drive/v3/files/a/b/c/d", "This Drive knows"), ("/upload/drive/v3/changes", "This Drive knows"),
        ("/gmail/v1/users/me/nothing", "This Gmail knows"), ("/gmail/v1/users/me/messages/", "This Gmail knows"),
        ("/upload/gmail/v1/users/me/labels", "This Gmail knows"), ("/token/", "There is nothing"),
        ("//token", "There is nothing"), ("/avatars/a/b.svg", "There is nothing"),
    ]

    @Test(
        "An address has one spelling, and where nothing is its API answers",
        arguments: unknown,
        [HTTPRequest.Method.get, .post]
    )
    func unknownAddress(address: (path: String, text: String), method: HTTPRequest.Method) async throws {
        let answer = await (try DriveUnderTest()).send(method, address.path)
        #expect(answer.status == .notFound)
        #expect(answer.text.contains(address.text))
    }

    static let refused: [(HTTPRequest.Method, String, String)] = [
        (.get, "/token", "POST"), (.delete, "/v1/userinfo", "GET, POST"), (.post, "/oauth2/v3/certs", "GET"),
        (.put, "/o/oauth2/v2/auth", "GET, POST"), (.get, "/batch", "POST"), (.patch, "/avatars/a.svg", "GET"),
    ]

    @Test("A method that an address does not take is refused with those that it takes", arguments: refused)
    func method(method: HTTPRequest.Method, path: String, allowed: String) async throws {
        let answer = await (try DriveUnderTest()).send(method, path)
        #expect(answer.status == .methodNotAllowed)
        #expect(answer.headers[.allow] == allowed)
    }

    @Test(
        "HEAD is answered as GET is, without the content",
        arguments: ["/oauth2/v3/certs", "/drive/v3/files", "/nothing"]
    )
    func head(path: String) async throws {
        let drive = try DriveUnderTest()
        let (head, get) = (await drive.send(.head, path), await drive.send(.get, path))
        #expect(head.status == get.status)
        #expect(head.bytes.isEmpty)
        #expect(head.headers[.contentLength] == String(get.bytes.count))
    }

    @Test("An unknown address uses a fault of the Drive up, and one of another API does not")
    func faults() async throws {
        let drive = try DriveUnderTest()
        #expect(await drive.send(.get, "/drive/v3/nothing", fault: .status(503)).status == .serviceUnavailable)
        #expect(await drive.send(.get, "/drive/v3/nothing", fault: .lostAnswer).isLost)
        #expect(await drive.send(.get, "/oauth2/v3/certs", fault: .lostAnswer).status == .ok)
        #expect(drive.service.withState { $0.behaviour.driveFaults } == [.lostAnswer])
    }

    @Test("Too large a body is refused with the end of the connection", arguments: [256 << 10, (256 << 10) + 1])
    func bodyLimit(count: Int) async throws {
        let drive = try DriveUnderTest()
        let answer = await drive.send(.post, "/token", body: [UInt8](repeating: 0, count: count))
        let isTooLarge = count > 256 << 10
        #expect(answer.status == (isTooLarge ? .contentTooLarge : .badRequest))
        #expect(answer.headers[.connection] == (isTooLarge ? "close" : nil))
    }

    @Test("A batch whose answer breaks off in one of its calls is lost")
    func cutBatch() async throws {
        let drive = try DriveUnderTest()
        let call = "--b\r\nContent-Type: application/http\r\n\r\nGET /drive/v3/files HTTP/1.1\r\n\r\n"
        let fields = ["Content-Type": "multipart/mixed; boundary=b"]
        let body = Array("\(call)--b--\r\n".utf8)
        #expect(await drive.send(.post, "/batch", fields, body: body).status == .ok)
        #expect(await drive.send(.post, "/batch", fields, body: body, fault: .cutAnswer(3)).isLost)
    }
}
#endif
