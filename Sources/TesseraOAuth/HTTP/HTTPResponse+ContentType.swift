// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes

extension HTTPResponse {
    /// The media type in lower case, without parameters.
    var contentType: String? {
        self.headerFields[.contentType]?.prefix { $0 != ";" }.trimmingSpaces().lowercased()
    }
}
