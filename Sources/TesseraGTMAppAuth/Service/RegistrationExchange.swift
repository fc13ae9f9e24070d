// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

/// An `OIDRegistrationRequest` as the protocol core sends it.
struct RegistrationExchange: EndpointRequest {
    private let request: OIDRegistrationRequest
    private let registration: RegistrationRequest

    /// - Throws: `ProtocolViolationError` where the provider registers nobody.
    init(_ request: OIDRegistrationRequest, insecure: Insecure) throws {
        let name = "registration_endpoint"
        guard let endpoint = request.configuration.registrationEndpoint else {
            throw ProtocolViolationError(.missingMetadata, expected: name, section: "RFC 8414, section 2")
        }
        var metadata = ClientMetadata()
        for member in request.members { metadata[member.name] = member.value }
        self.request = request
        self.registration = .register(
            metadata,
            at: try Endpoint(endpoint.absoluteString, name: name, insecure: insecure),
            initialAccessToken: request.initialAccessToken.map { Secret($0) }
        )
    }

    var exchange: OAuthExchange { .registration }

    func message(for client: RegisteredClient) throws -> OAuthMessage { try self.registration.message(for: client) }

    func answer(_ response: HTTPResponse, body: [UInt8], for client: RegisteredClient) throws -> OIDRegistrationResponse
    {
        _ = try self.registration.answer(response, body: body, for: client)
        let members = JSONParameters(try JSONValue(parsing: body)).dictionary
        guard let registration = OIDRegistrationResponse(request: self.request, parameters: members) else {
            throw NSError.appAuth(.registrationResponseConstructionError, "The registration lacks what it has to have.")
        }
        return registration
    }
}
