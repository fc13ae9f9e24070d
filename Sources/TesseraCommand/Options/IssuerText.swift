// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
internal import Tessera
internal import TesseraJOSE

/// An issuer as the command line names it.
enum IssuerText {
    /// - Parameters:
    ///   - text: the issuer.
    ///   - option: where it was given, for the error.
    ///   - insecure: what is permitted.
    /// - Returns: the issuer.
    /// - Throws: ``CommandError`` for what cannot be one: a mistake of the caller, not of a provider.
    static func read(_ text: String, option: String, insecure: Insecure) throws(CommandError) -> Issuer {
        do {
            return try Issuer(text, insecure: insecure)
        } catch {
            throw CommandError.usage(
                "\(option): \(error.description)",
                "Write the issuer as the provider does; plain http needs --allow-loopback-http and a loopback address."
            )
        }
    }
}
#endif
