// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Scripted transport")
struct ScriptedTransportTests {
    private let request = HTTPRequest(
        method: .post,
        scheme: "https",
        authority: "as.example",
        path: "/token?a=%2B+b&c"
    )

    @Test("Returns the responses in order, and then fails to connect")
    func list() async throws {
        let transport = ScriptedTransport([.json("{}"), .status(.noContent)])
        let (first, body) = try await transport.send(self.request, body: nil)
        #expect(first.status == .ok)
        #expect(first.headerFields[.contentType] == "application/json")
        #expect(try await body.collect(upTo: 10) == Array("{}".utf8))
        #expect(try await transport.send(self.request, body: nil).0.status == .noContent)
        await #expect { try await transport.send(self.request, body: nil) } throws: { error in
            TransportError.Code.cannotConnect ~= error
        }
    }

    @Test("Records requests with their bodies and decodes forms")
    func recording() async throws {
        let transport = ScriptedTransport { request in .json(request.text) }
        let (_, body) = try await transport.send(self.request, body: HTTPBody("code=a%2Bb+c&x=%zz&x=2"))
        #expect(try await body.collect(upTo: 100).count == 22)
        let recorded = try #require(transport.requests.first)
        #expect(recorded.url == "https://as.example/token?a=%2B+b&c")
        #expect(recorded.path == "/token")
        #expect(recorded.query == [FormParameter(name: "a", value: "+ b"), FormParameter(name: "c", value: "")])
        #expect(recorded.formValue("code") == "a+b c")
        #expect(recorded.formValue("x") == nil)
        #expect(recorded.form.map(\.value) == ["a+b c", "%zz", "2"])
    }

    @Test("Throws CancellationError in a canceled task instead of returning the response")
    func cancellation() async {
        let transport = ScriptedTransport { _ in
            withUnsafeCurrentTask { $0?.cancel() }
            return .json("{}")
        }
        let task = Task { _ = try await transport.send(self.request, body: nil) }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
