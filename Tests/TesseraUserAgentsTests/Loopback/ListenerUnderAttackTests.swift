// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Redirect listener under attack")
struct ListenerUnderAttackTests {
    @Test(
        "Receives the user's redirect during simultaneous attacks",
        .covers(29, 47, 48, 49, 50, 52)
    )
    func everythingAtOnce() async throws {
        let run = try await SignInRun.start()
        let port = run.port
        // Connections that send nothing or half a header stay open for the whole attack.
        var silent: [LoopbackConnection] = []
        for index in 0..<1_000 {
            let connection = try await LoopbackConnection.open(port: port)
            if index.isMultiple(of: 4) { try? await connection.send("GET /?state=right&code=c HTTP/1.1\r\nHo") }
            silent.append(connection)
        }
        let replies = try await withThrowingTaskGroup(of: (Attack, [Int?]).self) { group in
            for attack in Attack.allCases {
                group.addTask {
                    var statuses: [Int?] = []
                    for _ in 0..<40 {
                        let reply = try? await LoopbackReply.to(attack.text(port: port), port: port)
                        statuses.append(reply?.status)
                    }
                    return (attack, statuses)
                }
            }
            // The browser delivers the user's redirect during the attack.
            let page = try await run.get("/?state=right&code=the-code")
            #expect(page.status == 200)
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(try await run.outcome.value == "http://127.0.0.1:\(port)/?state=right&code=the-code")
        // The listener rejected every attack that it handled. Attacks after it closed have no status.
        for (attack, statuses) in replies {
            for case let status? in statuses where status != 0 { #expect(status == attack.expected, "\(attack)") }
        }
        withExtendedLifetime(silent) {}
    }

    private enum Attack: CaseIterable {
        case wrongPath
        case favicon
        case post
        case forgedError
        case wrongState
        case rebinding
        case longHeader
        case pipelining

        func text(port: UInt16) -> String {
            let host = "Host: 127.0.0.1:\(port)\r\n"
            return switch self {
            case .wrongPath: "GET /admin HTTP/1.1\r\n\(host)\r\n"
            case .favicon: "GET /favicon.ico HTTP/1.1\r\n\(host)\r\n"
            case .post: "POST /?state=right&code=c HTTP/1.1\r\n\(host)Content-Length: 0\r\n\r\n"
            case .forgedError: "GET /?error=access_denied HTTP/1.1\r\n\(host)\r\n"
            case .wrongState: "GET /?state=guess&code=c HTTP/1.1\r\n\(host)\r\n"
            case .rebinding: "GET /?state=right&code=c HTTP/1.1\r\nHost: evil.example:\(port)\r\n\r\n"
            case .longHeader: "GET / HTTP/1.1\r\n\(host)X: \(String(repeating: "x", count: 65_536))\r\n\r\n"
            case .pipelining:
                "GET /?state=no&code=c HTTP/1.1\r\n\(host)\r\nGET /?state=right&code=stolen HTTP/1.1\r\n\(host)\r\n"
            }
        }

        var expected: Int {
            switch self {
            case .wrongPath, .favicon: 404
            case .post: 405
            case .forgedError, .wrongState, .rebinding, .pipelining: 400
            case .longHeader: 431
            }
        }
    }
}
