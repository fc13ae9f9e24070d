// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import Tessera
internal import TesseraJSON

/// A report on a provider's metadata, as text or JSON.
struct ProviderReport: Sendable {
    let document: ProviderDocument

    init(_ document: ProviderDocument) { self.document = document }

    private var metadata: ServerMetadata { self.document.metadata }

    var text: TerminalText {
        var about = FieldTable()
        about.add("Provider", self.metadata.issuer.url)
        about.add("Document", self.document.request.url)
        about.add("Standard", self.document.standard)
        var endpoints = FieldTable()
        for endpoint in self.endpoints { endpoints.add(endpoint.name, endpoint.url) }
        var capabilities = ColumnTable("  CAPABILITY", "OFFERED", "USED BY TESSERA")
        for capability in self.capabilities {
            capabilities.add("  " + capability.name, capability.offer, capability.use)
        }
        var parts: [TerminalText] = [about.text, "Endpoints\n\(endpoints.text)", capabilities.text]
        if !self.warnings.isEmpty {
            parts.append("Weaknesses\n" + self.warnings.map { "  ! \($0)" as TerminalText }.joined(separator: "\n"))
        }
        return parts.joined(separator: "\n\n")
    }

    var json: JSONNode {
        [
            "issuer": .string(self.metadata.issuer.url), "document": .string(self.document.request.url),
            "standard": .string(self.document.standard),
            "endpoints": .array(self.endpoints.map { ["name": .string($0.name), "url": .string($0.url)] }),
            "capabilities": .array(self.capabilities.map(\.json)),
            "warnings": .array(self.warnings.map { .string($0) }),
        ]
    }

    private var endpoints: [(name: String, url: String)] {
        let metadata = self.metadata
        let all: [(String, Endpoint?)] = [
            ("authorization", metadata.authorizationEndpoint), ("token", metadata.tokenEndpoint),
            ("keys", metadata.jwksURI), ("user information", metadata.userinfoEndpoint),
            ("pushed requests", metadata.pushedAuthorizationRequestEndpoint),
            ("device", metadata.deviceAuthorizationEndpoint),
            ("backchannel", metadata.backchannelAuthenticationEndpoint),
            ("registration", metadata.registrationEndpoint), ("revocation", metadata.revocationEndpoint),
            ("introspection", metadata.introspectionEndpoint), ("sign-out", metadata.endSessionEndpoint),
        ]
        return all.compactMap { name, endpoint in endpoint.map { (name, $0.url) } }
    }

    /// Returns a list of values on one line.
    static func list(_ values: [String]) -> String {
        let limit = 6
        let shown = values.prefix(limit).map { UntrustedText.printable($0, limit: 40) }
        return shown.joined(separator: ", ") + (values.count > limit ? " and \(values.count - limit) more" : "")
    }
}

/// A capability of a provider, and how Tessera uses it.
struct ProviderCapability: Sendable {
    let name: String
    /// Whether the provider offers the capability, or nil if the metadata does not say.
    let isOffered: Bool?
    /// The values that the provider lists.
    let values: [String]
    /// How Tessera uses the capability.
    let use: String

    /// Creates a capability that the provider either offers or does not offer.
    init(_ name: String, _ isOffered: Bool, use: String, otherwise: String = "–") {
        self.init(name, isOffered, [], use: isOffered ? use : otherwise)
    }

    /// Creates a capability for which the provider may list values.
    init(_ name: String, listing values: [String]?, use: String) {
        self.init(name, values.map { !$0.isEmpty }, values ?? [], use: use)
    }

    /// Creates a capability with a list of values.
    init(_ name: String, _ isOffered: Bool?, _ values: [String], use: String) {
        self.name = name
        self.isOffered = isOffered
        self.values = values
        self.use = use
    }

    /// The offer as text, such as `yes: ES256, RS256`, `no` or `not announced`.
    var offer: String {
        guard let isOffered else { return "not announced" }
        let word = isOffered ? "yes" : "no"
        return self.values.isEmpty ? word : "\(word): \(ProviderReport.list(self.values))"
    }

    var json: JSONNode {
        [
            "name": .string(self.name), "offered": self.isOffered.map { .bool($0) } ?? .null,
            "values": .array(self.values.map { .string($0) }), "use": .string(self.use),
        ]
    }
}
