// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(NIOSSL)
internal import HTTPTypes
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("Proxies from environment variables")
struct ProxyTests {
    private let authority: TestIdentity.Authority
    private let server: TLSTestServer

    init() async throws {
        self.authority = try TestIdentity.Authority()
        self.server = try await TLSTestServer(self.authority.identity(for: "server.test"))
    }

    private var target: String { "server.test:\(self.server.port)" }

    @Test(
        "Sends requests through the proxy that a variable names",
        arguments: TestedTransport.trustingRoots,
        ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]
    )
    func variables(tested: TestedTransport, variable: String) async throws {
        let proxy = try await TestProxy()
        for address in [
            proxy.address, "http://\(proxy.address)/", "socks5://\(proxy.address)", "socks5h://\(proxy.address)",
        ] {
            try await self.with(tested, [variable: address]) { transport in
                for _ in 1...2 {
                    let (response, _) = try await transport.get(from: self.target)
                    #expect(response.status == .ok)
                }
            }
        }
        // Both requests share one tunnel.
        #expect(proxy.targets == Array(repeating: self.target, count: 4))
    }

    @Test(
        "Sends the decoded credentials in a proxy URL only to the proxy",
        arguments: TestedTransport.trustingRoots
    )
    func credentials(_ tested: TestedTransport) async throws {
        let proxy = try await TestProxy(credentials: "us er:p@:ss")
        try await self.with(tested, ["HTTPS_PROXY": "http://us%20er:p%40:ss@\(proxy.address)"]) { transport in
            let (response, _) = try await transport.get(from: self.target)
            #expect(response.status == .ok)
        }
        #expect(proxy.targets == [self.target])
        #expect(self.server.received.contains("GET / HTTP/1.1"))
        #expect(!self.server.received.lowercased().contains("proxy-"))
    }

    @Test(
        "Reports a proxy that rejects the credentials, without revealing them",
        arguments: TestedTransport.trustingRoots
    )
    func refusedCredentials(_ tested: TestedTransport) async throws {
        let proxy = try await TestProxy(credentials: "user:right")
        for credentials in ["", "user:SECRET@"] {
            try await self.with(tested, ["HTTPS_PROXY": "http://\(credentials)\(proxy.address)"]) { transport in
                let error = await #expect(throws: TransportError.self) {
                    _ = try await transport.get(from: self.target)
                }
                #expect(error?.code == .unusableProxy)
                #expect(!String(reflecting: error).contains("SECRET"))
            }
        }
        #expect(Set(proxy.targets) == ["407"])
        #expect(self.server.requests == 0)
    }

    @Test(
        "Reports a temporary failure behind the proxy as one that a retry may resolve",
        arguments: TestedTransport.trustingRoots,
        [429, 502, 503, 504]
    )
    func temporary(tested: TestedTransport, status: Int) async throws {
        let proxy = try await TestProxy(status: status)
        try await self.with(tested, ["HTTPS_PROXY": "http://\(proxy.address)"]) { transport in
            let error = await #expect(throws: TransportError.self) { _ = try await transport.get(from: self.target) }
            #expect(error?.code == .cannotConnect)
            #expect(error?.isRetryable == true)
        }
        #expect(self.server.requests == 0)
    }

    @Test("Does not bypass a proxy that cannot be used", arguments: TestedTransport.trustingRoots)
    func unusable(_ tested: TestedTransport) async throws {
        // A name that is reachable directly but not exempt from the proxy.
        let target = "LOCALHOST:\(self.server.port)"
        for address in ["ftp://127.0.0.1", "https://127.0.0.1", "http://", "http://127.0.0.1:0", "http://127.0.0.1:1"] {
            try await self.with(tested, ["HTTPS_PROXY": address]) { transport in
                let error = await #expect(throws: TransportError.self) { _ = try await transport.get(from: target) }
                #expect(error?.code == (address.hasSuffix(":1") ? .cannotConnect : .unusableProxy))
            }
        }
        #expect(self.server.connections == 0)
    }

    @Test(
        "Uses no proxy for hosts in NO_PROXY or on loopback",
        arguments: TestedTransport.trustingRoots,
        ["NO_PROXY", "no_proxy"]
    )
    func exceptions(tested: TestedTransport, variable: String) async throws {
        let proxy = try await TestProxy()
        let identity = try self.authority.identity(for: "localhost")
        let server = try await TLSTestServer(identity)
        for (exceptions, host, isProxied) in [
            ("", "LOCALHOST", true), ("localhost:\(server.port)", "LOCALHOST", false),
            ("localhost:1", "LOCALHOST", true),
            ("x.test, localhost", "LOCALHOST", false), ("*", "LOCALHOST", false), ("127.0.0.0/8", "LOCALHOST", true),
            ("", "localhost", false),
        ] {
            let before = proxy.targets.count
            try await self.with(tested, ["HTTPS_PROXY": "http://\(proxy.address)", variable: exceptions]) { transport in
                let (response, _) = try await transport.get(from: "\(host):\(server.port)")
                #expect(response.status == .ok)
            }
            #expect(proxy.targets.count - before == (isProxied ? 1 : 0), "NO_PROXY=\(exceptions) for \(host)")
        }
    }

    @Test("Sends plain HTTP to loopback without a proxy", arguments: TestedTransport.trustingRoots)
    func loopback(_ tested: TestedTransport) async throws {
        let proxy = try await TestProxy()
        let server = try HostileServer.start { _ in .respond(body: [1]) }
        defer { server.stop() }
        let environment = Dictionary(
            uniqueKeysWithValues: ["HTTPS_PROXY", "HTTP_PROXY", "http_proxy", "ALL_PROXY"].map { ($0, proxy.address) }
        )
        let transport = tested.make(insecure: .loopbackHTTP, environment: environment)
        let (_, body) = try await transport.get(from: "127.0.0.1:\(server.port)", scheme: "http")
        #expect(try await body.collect(upTo: 1) == [1])
        #expect(proxy.targets.isEmpty)
    }

    private func with(
        _ tested: TestedTransport,
        _ environment: [String: String],
        _ body: (any HTTPTransport) async throws -> Void
    ) async throws {
        try await withFile(try self.authority.pem) { path in
            try await body(tested.make(trustRoots: [path], environment: environment))
        }
    }
}
#endif
