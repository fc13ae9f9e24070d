// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// Who granted to whom.
struct GrantKey: Sendable, Hashable {
    var clientID: String
    var subject: String
}
#endif
