// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGoogle
internal import TesseraOAuth

extension OIDServiceConfiguration {
    /// A provider whose endpoints are known; nil where they are not.
    convenience init?(_ provider: Provider) {
        func url(_ endpoint: Endpoint?) -> URL? { endpoint.flatMap { URL(string: $0.url) } }
        guard let metadata = provider.metadata, let authorizationEndpoint = url(metadata.authorizationEndpoint),
            let tokenEndpoint = url(metadata.tokenEndpoint)
        else { return nil }
        self.init(
            authorizationEndpoint: authorizationEndpoint,
            tokenEndpoint: tokenEndpoint,
            issuer: URL(string: provider.issuer.url),
            registrationEndpoint: url(metadata.registrationEndpoint),
            endSessionEndpoint: url(metadata.endSessionEndpoint)
        )
    }

    /// Whether the token endpoint is Google's, which is known by itself: `configurationForGoogle()` has no issuer.
    var isGoogle: Bool { URIParts(self.tokenEndpoint.absoluteString).map { GoogleEndpoints.isGoogle($0) } ?? false }

    /// Where tokens may go unless a program says more: Google's APIs, else the provider itself.
    var origins: [OriginPattern] {
        if self.isGoogle { return GoogleEndpoints.authorizedOrigins.compactMap { try? OriginPattern($0) } }
        let places = [self.issuer, self.authorizationEndpoint, self.tokenEndpoint].compactMap { $0?.absoluteString }
        var origins: [OriginPattern] = []
        for parts in places.compactMap({ URIParts($0) }) {
            guard let origin = OriginPattern(of: parts), !origins.contains(origin) else { continue }
            origins.append(origin)
        }
        return origins
    }
}
