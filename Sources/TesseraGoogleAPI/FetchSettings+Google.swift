// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraFetch

extension FetchSettings {
    /// What suits Google's APIs: their rules for what is made again, and their errors.
    public static var google: FetchSettings {
        var settings = FetchSettings(retryPolicy: GoogleRetryPolicy())
        settings.failure = { response, body, secrets in GoogleAPIError(response, body: body, without: secrets) }
        return settings
    }
}
