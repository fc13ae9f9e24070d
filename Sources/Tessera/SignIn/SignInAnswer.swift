// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import TesseraOAuth

/// The session that a consent brought, and the provider's answer itself, whose other members (`server_code` at Google)
/// are kept nowhere.
package struct SignInAnswer: Sendable {
    package let session: OAuthSession
    package let tokens: TokenResponse
}
