// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import HTTPTypes
package import Tessera
package import TesseraOAuth

/// A success with its whole body.
package struct WholeAnswer: Sendable {
    package let response: HTTPResponse
    package let body: [UInt8]
    /// The token that the call carried; nil for a call without one.
    package let token: AccessToken?
    /// What the call carried, which parts of the answer may repeat.
    package let secrets: CarriedSecrets
}
