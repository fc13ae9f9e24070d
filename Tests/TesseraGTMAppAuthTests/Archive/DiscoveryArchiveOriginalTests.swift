// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing

@Suite("Archived configurations and discovery documents as in AppAuth")
struct DiscoveryArchiveOriginalTests {
    private func plist(_ object: some NSObject & NSSecureCoding) throws -> ArchivePlist {
        try ArchivePlist(try AppAuthArchive.archive(object))
    }

    @Test(
        "Keeps all endpoints and the document of a configuration",
        .original("AppAuth OIDServiceConfigurationTests.testSecureCoding")
    )
    func configuration() throws {
        let configuration = try Samples.configuration()
        let data = try AppAuthArchive.archive(configuration)
        let copy = try AppAuthArchive.unarchive(OIDServiceConfiguration.self, from: data)
        #expect(copy.authorizationEndpoint == configuration.authorizationEndpoint)
        #expect(copy.tokenEndpoint == configuration.tokenEndpoint)
        #expect(copy.issuer == configuration.issuer)
        #expect(copy.registrationEndpoint == configuration.registrationEndpoint)
        #expect(copy.endSessionEndpoint == configuration.endSessionEndpoint)
        #expect(copy.discoveryDocument?.jwksURL == configuration.discoveryDocument?.jwksURL)
    }

    @Test(
        "Rejects a configuration without an authorization or token endpoint",
        .original("AppAuth OIDServiceConfiguration initWithCoder:"),
        arguments: ["authorizationEndpoint", "tokenEndpoint"]
    )
    func incomplete(key: String) throws {
        let endpoint = try Samples.url("https://www.example.com/")
        var plist = try self.plist(OIDServiceConfiguration(authorizationEndpoint: endpoint, tokenEndpoint: endpoint))
        let written = plist.xml
        plist.xml = written.replacing("<key>\(key)</key>", with: "<key>x</key>")
        #expect(plist.xml != written)
        let data = try plist.data
        #expect(throws: (any Error).self) {
            try AppAuthArchive.unarchive(OIDServiceConfiguration.self, from: data)
        }
    }

    @Test(
        "Keeps all members of a document",
        .original("AppAuth OIDServiceDiscoveryTests.testSecureCoding")
    )
    func document() throws {
        let document = try OIDServiceDiscovery(json: Samples.discovery)
        let data = try AppAuthArchive.archive(document)
        let copy = try AppAuthArchive.unarchive(OIDServiceDiscovery.self, from: data)
        #expect(Set(copy.discoveryDictionary.keys) == Set(document.discoveryDictionary.keys))
        #expect(copy.opPolicyURI == document.opPolicyURI)
        #expect(copy.scopesSupported == ["openid", "email"])
        let nested = copy.discoveryDictionary["an_extension"] as? [String: Any]
        #expect((nested?["depth"] as? [Any])?.last as? String == "x")
    }

    @Test(
        "Reads a document in the format of AppAuth's first versions",
        .original("AppAuth OIDServiceDiscoveryTests.testSecureCodingDecodeOld")
    )
    func oldForm() throws {
        var plist = try self.plist(try OIDServiceDiscovery(json: Samples.discovery))
        plist.xml = plist.xml.replacing("<key>discoveryDictionary</key>", with: "<key>x</key>")
        let copy = try AppAuthArchive.unarchive(OIDServiceDiscovery.self, from: try plist.data)
        #expect(copy.issuer.absoluteString == "https://server.example")
        #expect(copy.responseTypesSupported == ["code", "code id_token"])
    }

    @Test(
        "Writes a document so that AppAuth's first versions can read it",
        .original("AppAuth OIDServiceDiscoveryTests.testSecureCodingOldDecodeNew")
    )
    func newForm() throws {
        let keys = try self.plist(try OIDServiceDiscovery(json: Samples.discovery)).keys(of: "OIDServiceDiscovery")
        #expect(keys == ["NS.keys", "NS.objects", "discoveryDictionary"])
    }

    @Test(
        "Rejects an archived document without a required member",
        .original("AppAuth OIDServiceDiscovery initWithCoder:")
    )
    func damaged() throws {
        var plist = try self.plist(try OIDServiceDiscovery(json: Samples.discovery))
        let written = plist.xml
        plist.xml = written.replacing("<string>token_endpoint</string>", with: "<string>x</string>")
        #expect(plist.xml != written)
        let data = try plist.data
        #expect(throws: (any Error).self) { try AppAuthArchive.unarchive(OIDServiceDiscovery.self, from: data) }
    }

    @Test(
        "Keeps strings in place of lists",
        .original("AppAuth OIDServiceDiscoveryTests.testSecureCoding")
    )
    func strings() throws {
        let text = Samples.discovery.replacing("[\"openid\", \"email\"]", with: "\"Scopes\"")
        let data = try AppAuthArchive.archive(try OIDServiceDiscovery(json: text))
        let copy = try AppAuthArchive.unarchive(OIDServiceDiscovery.self, from: data)
        #expect(copy.scopesSupported == ["Scopes"])
    }
}
