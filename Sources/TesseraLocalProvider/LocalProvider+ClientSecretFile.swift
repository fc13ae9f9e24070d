// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJSON

@available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
extension LocalProvider {
    /// The first client as Google's console hands it out: the content of a `client_secret.json` whose addresses are
    /// this provider's.
    ///
    /// It holds the client's secret.
    public var clientSecretFile: String {
        guard let client = self.options.clients.first else { return "{}" }
        let list: ([String]) -> JSONNode = { .array($0.map(JSONNode.string)) }
        let redirectURIs = client.redirectURIs.isEmpty ? ["http://localhost"] : client.redirectURIs
        let members: JSONNode = [
            "client_id": .string(client.id),
            "project_id": "tessera-local-provider",
            "auth_uri": .string(self.baseURL + "/o/oauth2/auth"),
            "token_uri": .string(self.baseURL + "/token"),
            "auth_provider_x509_cert_url": .string(self.baseURL + "/oauth2/v1/certs"),
            "client_secret": .string(client.secret),
            "redirect_uris": list(redirectURIs),
        ]
        return JSONNode.object([JSONMember(name: client.kind.rawValue, value: members)]).text(pretty: true) + "\n"
    }
}
#endif
