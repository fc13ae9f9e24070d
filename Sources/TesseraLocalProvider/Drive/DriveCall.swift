// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// A call that was found to be allowed.
struct DriveCall: Sendable {
    var operation: DriveOperation
    var parameters: FormParameters
    var access: DriveAccess
    /// Where the provider is reached, for addresses in answers.
    var baseURL: String
}
#endif
