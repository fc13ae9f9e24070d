// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HummingbirdCore
#if LocalProviderTLS
internal import HummingbirdTLS
#endif

@available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
extension LocalProvider {
    /// Creates a server for http or https.
    ///
    /// - Parameters:
    ///   - options: The options of the provider.
    ///   - dateOffset: Returns the number of seconds by which the `Date` field of responses is wrong.
    /// - Returns: The server and, for https, the certificate authority's certificate in PEM format.
    /// - Throws: ``LocalProviderError`` if the certificate cannot be created.
    static func server(
        _ options: LocalProviderOptions,
        dateOffset: @escaping @Sendable () -> Int
    ) throws -> (server: HTTPServerBuilder, authorityPEM: String?) {
        let server = HTTPServerBuilder.http1(
            configuration: .init(additionalChannelHandlers: [DateOffset(dateOffset)])
        )
        #if LocalProviderTLS
        if options.tls {
            let tls = try LocalTLS(for: options)
            return (try .tls(server, tlsConfiguration: tls.configuration), tls.authorityPEM)
        }
        #endif
        return (server, nil)
    }
}
#endif
