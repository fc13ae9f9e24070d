// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON

extension DeliveredResponse {
    /// `state` as it arrived, by which an attempt is looked for: nothing about it is believed yet.
    ///
    /// In a signed response it is inside. Nil where there is none, or more than one.
    package var state: String? {
        let text: String
        switch self {
        case .redirect(let uri): text = URIParts(uri)?.query ?? ""
        case .formPost(_, let body): text = body
        }
        guard text.utf8.count <= 1 << 16, let form = try? FormParameters(decoding: text), form.repeatedName == nil
        else {
            return nil
        }
        if let state = form["state"] { return state }
        return form["response"].flatMap { try? CompactJWS(parsing: $0).claims()["state"]?.string }
    }
}
