// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraJSON

/// Named values that a program adds to a request, as the texts that are sent.
///
/// AppAuth takes objects of Foundation here, earlier versions took texts: both are accepted, and so are numbers, truth
/// values and URLs. What has no text is left out.
enum TextParameters {
    /// The texts of a dictionary; nil of none.
    static func texts(_ parameters: [String: Any]?) -> [String: String]? {
        parameters.map { $0.compactMapValues(Self.text) }
    }

    /// The texts of a dictionary.
    static func texts(_ parameters: NSDictionary) -> [String: String] {
        JSONParameters(parameters).dictionary.compactMapValues(Self.text)
    }

    private static func text(_ value: Any) -> String? {
        switch JSONNode(any: value) {
        case .string(let text)?: text
        case .bool(let flag)?: "\(flag)"
        case .integer(let integer)?: "\(integer)"
        case .double(let number)?: "\(number)"
        default: nil
        }
    }
}
