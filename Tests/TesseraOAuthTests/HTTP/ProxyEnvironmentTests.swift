// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import Testing

@Suite("Proxy environment variables")
struct ProxyEnvironmentTests {
    @Test(
        "Reads the proxy's host and port as other tools do",
        arguments: [
            ("http://proxy.example:3128", "proxy.example", 3128), ("proxy.example:3128/", "proxy.example", 3128),
            ("http://proxy.example", "proxy.example", 80), ("socks5://[::1]", "::1", 1080),
            ("http://user:pass%40word@10.0.0.1:8080", "10.0.0.1", 8080),
        ]
    )
    func server(text: String, host: String, port: Int) throws {
        let server = try #require(ProxyEnvironment(ProcessVariables(["https_proxy": text])).server)
        #expect(server.host == host)
        #expect(server.port == port)
    }

    @Test("Percent-decodes the proxy's user and password")
    func credentials() {
        let environment = ProcessVariables(["HTTPS_PROXY": "http://user:pass%40word@10.0.0.1:8080"])
        let server = ProxyEnvironment(environment).server
        #expect(server?.user == "user")
        #expect(server?.password == Secret("pass@word"))
    }

    @Test(
        "An unusable proxy applies to requests, so they fail instead of bypassing it",
        arguments: [
            "http://", "https://proxy.example:1", "ftp://proxy.example", "http://proxy.example:99999", ":", "@",
        ]
    )
    func unusable(text: String) {
        let environment = ProxyEnvironment(ProcessVariables(["HTTPS_PROXY": text]))
        #expect(environment.server == nil)
        #expect(environment.applies(to: "example.org"))
        #expect(!environment.applies(to: "127.0.0.1"))
    }

    @Test(
        "Connects directly if the variable is missing or empty",
        arguments: [[:], ["HTTPS_PROXY": ""]]
    )
    func none(variables: [String: String]) {
        #expect(!ProxyEnvironment(ProcessVariables(variables)).applies(to: "example.org"))
    }

    @Test(
        "NO_PROXY excludes hosts and their subdomains, and loopback is always excluded",
        arguments: [
            ("api.example.com", false), ("example.com", false), ("EXAMPLE.com", false), ("notexample.com", true),
            ("internal", false), ("a.internal", false), ("example.org", true), ("localhost", false),
            ("127.0.0.1", false), ("[::1]", false),
        ]
    )
    func exceptions(host: String, applies: Bool) {
        let environment = ProcessVariables(["HTTPS_PROXY": "http://p:1", "NO_PROXY": ".example.com, internal"])
        #expect(ProxyEnvironment(environment).applies(to: host) == applies)
    }

    @Test(
        "NO_PROXY matches ports, addresses and networks as curl does",
        arguments: [
            ("api.example:8443", "api.example", 8_443, false), ("api.example:8443", "api.example", 443, true),
            ("api.example:8443", "a.api.example", 8_443, false), ("api.example:x", "api.example", 443, true),
            ("api.example.", "api.example", 443, false), ("api.example", "api.example.", 8_443, false),
            ("10.0.0.0/8", "10.1.2.3", 443, false), ("10.0.0.0/8", "11.1.2.3", 443, true),
            ("192.168.4.0/22", "192.168.7.255", 443, false), ("192.168.4.0/22", "192.168.8.0", 443, true),
            ("10.0.0.0/8", "10.example", 443, true), ("10.0.0.7/0", "10.0.0.8", 443, true),
            ("10.0.0.7/32", "10.0.0.7", 443, false), ("10.0.0.0/33", "10.0.0.0", 443, true),
            ("10.0.0.0/-1", "10.0.0.0", 443, true), ("10.0.0.0/", "10.0.0.0", 443, true),
            ("example/8", "example", 443, true), ("0.0.1", "10.0.0.1", 443, true),
            ("10.0.0.1:8443", "10.0.0.1", 8_443, false), ("10.0.0.1:8443", "10.0.0.1", 443, true),
            ("2001:db8::/32", "[2001:db8:1::2]", 443, false), ("2001:db8::/32", "[2001:db9::1]", 443, true),
            ("[2001:db8::1]", "[2001:db8:0:0::1]", 443, false), ("2001:db8::1", "[2001:db8::1]", 443, false),
            ("[2001:db8::1]:8443", "[2001:db8::1]", 8_443, false), ("[2001:db8::1]:8443", "[2001:db8::1]", 443, true),
            ("a.example,\t10.0.0.0/8", "10.0.0.1", 443, false),
        ]
    )
    func networks(exceptions: String, host: String, port: Int, applies: Bool) {
        let environment = ProcessVariables(["HTTPS_PROXY": "http://p:1", "NO_PROXY": exceptions])
        #expect(ProxyEnvironment(environment).applies(to: host, port: port) == applies)
    }

    @Test("NO_PROXY set to an asterisk excludes every host")
    func star() {
        let environment = ProcessVariables(["HTTPS_PROXY": "http://p:1", "no_proxy": "*"])
        #expect(!ProxyEnvironment(environment).applies(to: "example.org"))
    }
}
