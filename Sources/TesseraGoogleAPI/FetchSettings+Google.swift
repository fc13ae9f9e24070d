// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraFetch
internal import TesseraOAuth

extension FetchSettings {
    /// Settings with Google's retry rules and errors.
    public static var google: FetchSettings { FetchSettings().forGoogle }

    /// The settings with Google's errors, and with Google's retry rules if they have HTTP's.
    var forGoogle: FetchSettings {
        var settings = self
        if settings.retryPolicy is StandardRetryPolicy { settings.retryPolicy = GoogleRetryPolicy() }
        settings.failure = { response, body, secrets in GoogleAPIError(response, body: body, without: secrets) }
        return settings
    }
}
