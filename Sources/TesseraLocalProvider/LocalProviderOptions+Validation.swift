// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraOAuth

extension LocalProviderOptions {
    /// Whether only this machine reaches a ``host``: `localhost`, `::1` or an address in 127.0.0.0/8.
    package static func isLoopback(_ host: String) -> Bool {
        RequestTarget.isLoopback(host.lowercased()) || host == "::1"
    }

    /// Refuses options that could not work.
    func validate() throws(LocalProviderError) {
        guard (0...65_535).contains(self.port) else {
            throw LocalProviderError(.invalidOption, "The port must be between 0 and 65535.")
        }
        guard (1...31_536_000).contains(self.accessTokenLifetime) else {
            throw LocalProviderError(.invalidOption, "The access token lifetime must be between 1 second and a year.")
        }
        let hostBytes = self.host.utf8
        guard !hostBytes.isEmpty,
            hostBytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Array("/\\\"@?#".utf8).contains($0) })
        else {
            throw LocalProviderError(.invalidOption, "The host must be a name or an address of this machine.")
        }
        if let publicURL {
            guard let parts = URIParts(publicURL), ["http", "https"].contains(parts.scheme), parts.host != nil,
                parts.userinfo == nil, parts.path.isEmpty, parts.query == nil, parts.fragment == nil
            else {
                throw LocalProviderError(
                    .invalidOption,
                    "The public URL must be http or https, a host, and perhaps a port: no path, and no slash at the end."
                )
            }
        }
        guard Set(self.accounts.map(\.subject)).count == self.accounts.count,
            Set(self.accounts.map { $0.email.lowercased() }).count == self.accounts.count
        else { throw LocalProviderError(.invalidOption, "Two accounts have the same subject or email address.") }
        guard Set(self.clients.map(\.id)).count == self.clients.count else {
            throw LocalProviderError(.invalidOption, "Two clients have the same identifier.")
        }
    }
}
#endif
