// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraSupport
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import TesseraUserAgents
internal import TestTraits
internal import Testing

@Suite("Form post redirects")
struct FormPostReceptionTests {
    private static let form = "application/x-www-form-urlencoded"

    private static func post(
        _ body: String,
        type: String? = Self.form,
        target: String = "/",
        run: SignInRun
    ) async throws -> LoopbackReply {
        let type = type.map { "Content-Type: \($0)\r\n" } ?? ""
        let head = "POST \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(run.port)\r\nOrigin: https://as.example\r\n\(type)"
        return try await LoopbackReply.to("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)", port: run.port)
    }

    @Test(
        "Passes on a posted form unchanged and shows the user the completion page",
        arguments: [Self.form, "Application/X-WWW-Form-Urlencoded; charset=UTF-8"]
    )
    func success(type: String) async throws {
        let run = try await SignInRun.start(responseMode: .formPost)
        let reply = try await Self.post("code=c0de&state=right&x=%2B", type: type, run: run)
        #expect(reply.status == 200)
        #expect(!reply.body.contains("c0de"))
        #expect(
            try await run.outcome.value == "POST http://127.0.0.1:\(run.port)/ code=c0de&state=right&x=%2B"
        )
        #expect(await run.isClosed())
    }

    @Test("Rejects other methods, content types, paths and long bodies, and keeps waiting", .covers(47, 48))
    func refused() async throws {
        let run = try await SignInRun.start(responseMode: .formPostJWT)
        let get = try await run.get("/?code=c&state=right")
        #expect(get.status == 405)
        #expect(get.headers["allow"] == "POST")
        #expect(try await Self.post("state=right", type: nil, run: run).status == 415)
        #expect(try await Self.post("{}", type: "application/json", run: run).status == 415)
        #expect(try await Self.post("state=right", type: "text/plain", run: run).status == 415)
        #expect(try await Self.post("state=right", type: "multipart/form-data", run: run).status == 415)
        #expect(try await Self.post("state=right", target: "/other", run: run).status == 404)
        let head = "POST / HTTP/1.1\r\nHost: 127.0.0.1:\(run.port)\r\nContent-Type: \(Self.form)\r\n"
        let long = "\(head)Content-Length: 131072\r\n\r\n"
        #expect(try await LoopbackReply.to(long, port: run.port).status == 413)
        #expect(run.judged.redirects == [])
        #expect(try await Self.post("state=wrong&code=c", run: run).status == 400)
        #expect(try await Self.post("state=right", run: run).status == 200)
        _ = try await run.outcome.value
    }

    @Test("Rejects a form post if a query redirect is expected", .covers(47))
    func unasked() async throws {
        let run = try await SignInRun.start()
        let reply = try await Self.post("code=c&state=right", run: run)
        #expect(reply.status == 405)
        #expect(reply.headers["allow"] == "GET")
        #expect(run.judged.redirects == [])
        await run.giveUp()
    }

    @Test("Rejects the fragment response mode before it opens a browser")
    func fragment() async throws {
        await #expect {
            try await SystemBrowser(command: .none, environment: [:]).makeRedirectReceiver(responseMode: .fragment)
        } throws: {
            SignInError.Code.invalidConfiguration ~= $0
        }
    }
}
