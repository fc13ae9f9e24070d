// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Testing
internal import TesseraJOSE
internal import TesseraJSON
@testable internal import TesseraLocalProvider

@Suite("Cloud gate of the local provider")
struct CloudGateInternalTests {
    @Test("Serves endpoints below /cloud at its own address")
    func prefixes() async throws {
        let cloud = try CloudUnderTest()
        let base = "http://127.0.0.1:8400/cloud/"
        #expect(await cloud.exchange(url: base + "sts.googleapis.com/v1/token").status == .ok)
        #expect(await cloud.send(.get, base + "www.googleapis.com/oauth2/v3/certs").status == .ok)
        #expect(await cloud.post(base + "oauth2.googleapis.com/token", [:]).errorCode == "invalid_request")
        let flavor = ["Metadata-Flavor": "Google"]
        #expect(await cloud.send(.get, base + "metadata.google.internal", flavor).status == .ok)
        #expect(await cloud.send(.get, base + "metadata.google.internal/?x=1", flavor).status == .ok)
    }

    @Test(
        "Rejects other hosts and other paths",
        arguments: [
            ("https://evil.example/v1/token", 421), ("https://evil.example/token", 421),
            ("https://sts.googleapis.com/v1/other", 404), ("https://sts.googleapis.com/v1//token", 404),
            ("http://127.0.0.1:8400/cloud/evil.example/token", 404), ("http://127.0.0.1:8400/latest/x", 404),
        ]
    )
    func others(url: String, code: Int) async throws {
        #expect(try await CloudUnderTest().send(.get, url).status.code == code)
    }

    @Test(
        "Rejects a website whose name leads to this server",
        arguments: [
            "http://www.evil.example:8400/_tessera/cloud/requests", "http://oauth2.evil.example:8400/token",
            "http://sts.evil.example:8400/v1/token", "http://evil.example:8400/subject-token",
            "http://www.googleapis.com.evil.example:8400/oauth2/v3/certs",
        ]
    )
    func rebinding(_ url: String) async throws {
        #expect(try await CloudUnderTest().send(.get, url).status == .misdirectedRequest)
    }

    @Test("Does not serve the endpoints without the option")
    func disabled() async throws {
        let cloud = try CloudUnderTest { $0.cloud = nil }
        #expect(await cloud.exchange().status == .misdirectedRequest)
        #expect(await cloud.metadata("project/project-id").status == .misdirectedRequest)
        let base = "http://127.0.0.1:8400/"
        #expect(await cloud.exchange(url: base + "cloud/sts.googleapis.com/v1/token").status == .notFound)
        #expect(await cloud.send(.get, base + "_tessera/cloud/requests").status == .notFound)
    }

    @Test("Publishes the keys of Identity-Aware Proxy and of service accounts")
    func keys() async throws {
        let cloud = try CloudUnderTest()
        let proxy = await cloud.send(.get, "https://www.gstatic.com/iap/verify/public_key-jwk")
        #expect(try JWKSet(parsing: proxy.bytes).keys.first?.algorithm == .es256)
        let url = "https://www.googleapis.com/service_accounts/v1/jwk/"
        let account = await cloud.send(.get, url + CloudUnderTest.worker)
        #expect(try JWKSet(parsing: account.bytes).keys.first?.thumbprint == cloud.key.thumbprint)
        #expect(await cloud.send(.get, url + "nobody@example.com").status == .notFound)
    }

    @Test("Records requests with their original host and target, and forgets them on request")
    func recording() async throws {
        let cloud = try CloudUnderTest()
        _ = await cloud.metadata("project/project-id?alt=text", flavor: nil)
        _ = await cloud.post("http://127.0.0.1:8400/cloud/sts.googleapis.com/v1/token", ["a": "b"], ["X-Test": "1"])
        _ = await cloud.send(.get, "http://127.0.0.1:8400/favicon.ico")
        let url = "http://127.0.0.1:8400/_tessera/cloud/requests"
        let requests = try #require(try await cloud.send(.get, url).json.elements.map(Array.init))
        #expect(requests.map { $0["method"]?.string } == ["GET", "POST"])
        #expect(requests.map { $0["host"]?.string } == ["metadata.google.internal", "sts.googleapis.com"])
        let target = "/computeMetadata/v1/project/project-id?alt=text"
        #expect(requests.map { $0["target"]?.string } == [target, "/v1/token"])
        #expect(requests.last?["body"]?.string == "a=b")
        #expect(requests.last?["headers"]?["x-test"]?.string == "1")
        #expect(await cloud.send(.delete, url).status == .ok)
        #expect(try await cloud.send(.get, url).json.elements?.isEmpty == true)
        #expect(await cloud.send(.post, url).status == .methodNotAllowed)
    }

    @Test("Applies faults to the next requests of one endpoint")
    func faults() async throws {
        let cloud = try CloudUnderTest()
        cloud.service.withState {
            $0.behavior.cloudFaults[.tokenExchange] = [
                .status(503, retryAfter: 2), .status(200, body: "garbage"), .none, .lostResponse, .truncatedResponse,
            ]
        }
        let token = try await cloud.token()
        #expect(!token.isEmpty)
        let unavailable = await cloud.exchange()
        #expect(unavailable.status == .serviceUnavailable)
        #expect(unavailable.headers[.retryAfter] == "2")
        #expect(await cloud.exchange().text == "garbage")
        #expect(await cloud.exchange().status == .ok)
        #expect(await cloud.exchange().isLost)
        #expect(await cloud.exchange().isCut)
        #expect(await cloud.exchange().status == .ok)
        #expect(cloud.service.withState { $0.cloud?.requests.count } == 7)
    }

    @Test("Rejects invalid options")
    func options() throws {
        let changes: [(inout LocalCloudOptions) -> Void] = [
            { $0.serviceAccounts = [] }, { $0.serviceAccounts += $0.serviceAccounts },
            { $0.serviceAccounts[0].key = try? JWSSigningKey.generate(.es256) },
            { $0.userRefreshToken = $0.workforceRefreshToken },
        ]
        for change in changes {
            var options = LocalCloudOptions()
            change(&options)
            #expect(throws: LocalProviderError.self) { try options.validate() }
        }
    }

    @Test("Assigns every endpoint to the path that serves it", arguments: LocalProviderOptions.CloudEndpoint.allCases)
    func endpoints(endpoint: LocalProviderOptions.CloudEndpoint) {
        let paths = (Endpoint.all + Endpoint.cloud).flatMap(\.paths)
        #expect(paths.contains { LocalProviderOptions.CloudEndpoint($0) == endpoint })
    }
}
#endif
