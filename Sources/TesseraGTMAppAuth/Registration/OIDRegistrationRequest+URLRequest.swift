// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationNetworking)
internal import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif
internal import TesseraJSON

extension OIDRegistrationRequest {
    /// The request as it is sent: a POST with a JSON object, and the initial access token where there is one.
    ///
    /// No member is there twice, and the request's own come before the program's. Where the configuration has no
    /// registration endpoint, it goes to `about:blank` and holds nothing.
    ///
    /// - SeeAlso: [RFC 7591, section 3.1](https://www.rfc-editor.org/rfc/rfc7591.html#section-3.1)
    public func urlRequest() -> URLRequest {
        guard let endpoint = self.configuration.registrationEndpoint else {
            return URLRequest(url: .nowhere(else: self.configuration.tokenEndpoint))
        }
        var request = URLRequest(url: endpoint)
        request.httpMethod = "POST"
        request.httpBody = Data(JSONNode.object(self.members).serialized())
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if let initialAccessToken {
            request.setValue("Bearer \(initialAccessToken)", forHTTPHeaderField: "Authorization")
        }
        return request
    }

    /// What is sent.
    var members: [JSONMember] {
        let texts = [
            (OIDApplicationTypeParam, self.applicationType), (OIDSubjectTypeParam, self.subjectType),
            (OIDTokenEndpointAuthenticationMethodParam, self.tokenEndpointAuthenticationMethod),
        ]
        let lists = [
            (OIDRedirectURIsParam, self.redirectURIs.map(\.absoluteString)),
            (OIDResponseTypesParam, self.responseTypes), (OIDGrantTypesParam, self.grantTypes),
        ]
        let own =
            lists.compactMap { name, list in list.map { JSONMember(name: name, value: .texts($0)) } }
            + texts.compactMap { name, text in text.map { JSONMember(name: name, value: .string($0)) } }
        return own + (self.additional?.others(than: Set(own.map(\.name))).sorted ?? [])
    }
}

extension JSONNode {
    /// A list of texts.
    fileprivate static func texts(_ texts: [String]) -> JSONNode { .array(texts.map { .string($0) }) }
}
