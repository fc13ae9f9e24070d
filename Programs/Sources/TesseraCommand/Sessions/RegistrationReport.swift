// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON

/// A registration as `tessera register` describes it: never a secret.
struct RegistrationReport: Sendable {
    let registration: ClientRegistration
    let issuer: String
    let store: String

    init(_ registration: ClientRegistration, issuer: String, store: String) {
        self.registration = registration
        self.issuer = issuer
        self.store = store
    }

    var text: TerminalText {
        let metadata = self.registration.metadata
        var table = FieldTable()
        table.add("Client", self.registration.clientID)
        table.add("Name", metadata.clientName)
        table.add("Provider", self.issuer)
        table.add("Redirects", metadata.redirectURIs ?? [])
        table.add("Proof", metadata.tokenEndpointAuthMethod ?? "chosen by the metadata")
        table.add("Secret", self.secret)
        table.add("Managed", self.isManaged ? "yes: 'tessera register --delete' deletes it" : "not by program")
        table.add("Kept in", self.store)
        table.add("Sign in", "tessera login --issuer \(self.issuer)")
        return table.text
    }

    private var isManaged: Bool { self.registration.registrationClientURI != nil }

    private var secret: String {
        guard self.registration.clientSecret != nil else { return "none" }
        guard let end = self.registration.clientSecretExpiresAt else { return "kept; it does not end" }
        let now = WallClock.now
        return "kept; \(end > now ? "ends" : "ended") \(TimeText.relative(end, to: now))"
    }

    var members: [JSONMember] {
        let metadata = self.registration.metadata
        return [
            JSONMember(name: "issuer", value: .string(self.issuer)),
            JSONMember(name: "clientID", value: .string(self.registration.clientID)),
            JSONMember(name: "name", value: AccountReport.text(metadata.clientName)),
            JSONMember(name: "redirectURIs", value: .array((metadata.redirectURIs ?? []).map { .string($0) })),
            JSONMember(name: "authMethod", value: AccountReport.text(metadata.tokenEndpointAuthMethod)),
            JSONMember(name: "hasSecret", value: .bool(self.registration.clientSecret != nil)),
            JSONMember(name: "secretExpiresAt", value: TimeText.json(self.registration.clientSecretExpiresAt)),
            JSONMember(name: "managed", value: .bool(self.isManaged)),
            JSONMember(name: "store", value: .string(self.store)),
        ]
    }
}
