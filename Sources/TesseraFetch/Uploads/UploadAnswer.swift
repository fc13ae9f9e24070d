// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// What an answer says about an upload.
public enum UploadAnswer: Sendable, Hashable {
    /// The server has so many bytes, or does not say how many, and waits for more, perhaps at another place from now on.
    case active(received: Int64?, movedTo: Secret? = nil)
    /// It has everything; the answer is the API's.
    case complete
    /// It knows nothing of the upload: it has to begin anew.
    case gone
    /// It is refused; the answer says why.
    case refused
}
