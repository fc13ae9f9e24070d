// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE

extension ProtocolViolationError.Rule {
    /// An API's answer is no JSON, or has another shape than its documents say.
    public static let apiAnswer = Self(rawValue: "api.answer")
    /// A list names a page that came before.
    public static let apiRepeatedPage = Self(rawValue: "api.repeatedPage")
    /// The answer to a batch cannot be taken apart, or lacks a part.
    public static let apiBatch = Self(rawValue: "api.batch")
}
