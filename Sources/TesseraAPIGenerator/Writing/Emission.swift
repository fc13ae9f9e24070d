// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Where the code of small declarations ends up.
enum Emission {
    /// In the programs that use them: an API has thousands of properties and parameters, of which a program uses some
    /// dozens, and only those cost it anything.
    static let inClients = "@_alwaysEmitIntoClient"
}
