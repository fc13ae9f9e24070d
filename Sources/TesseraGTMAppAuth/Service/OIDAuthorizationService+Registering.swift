// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraOAuth

extension OIDAuthorizationService {
    /// Registers the program with a provider.
    ///
    /// - Parameters:
    ///   - request: what is registered.
    ///   - completion: gets the registration, or an error: of `OIDOAuthRegistrationErrorDomain` where the provider said no.
    /// - SeeAlso: [RFC 7591, section 3](https://www.rfc-editor.org/rfc/rfc7591.html#section-3)
    public class func perform(
        _ request: OIDRegistrationRequest,
        completion: @escaping (OIDRegistrationResponse?, (any Error)?) -> Void
    ) {
        self.report(to: completion, refusals: OIDOAuthRegistrationErrorDomain) { try await self.registered(request) }
    }

    /// The same for callers that wait.
    ///
    /// - Throws: an `NSError` of AppAuth's domains.
    public class func perform(_ request: OIDRegistrationRequest) async throws -> OIDRegistrationResponse {
        try await self.mapping(refusals: OIDOAuthRegistrationErrorDomain) { try await self.registered(request) }
    }

    private class func registered(_ request: OIDRegistrationRequest) async throws -> OIDRegistrationResponse {
        let access = try ProviderAccess(request.configuration)
        let exchange = try RegistrationExchange(request, insecure: access.world.insecure)
        return try await access.registeredClient().send(exchange)
    }
}
