// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A value that will be written as JSON; literals make it, and members keep their order.
///
/// Nothing is refused: two members of one name are written twice, and a double that is infinite or not a number is
/// written as `null`, since JSON has no word for it. It shows its contents when printed; do not log one that holds
/// secrets.
public enum JSONNode: Sendable, Hashable {
    /// The literal `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// An integer.
    case integer(Int64)
    /// A number with its shortest exact text; not finite: `null`.
    case double(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([JSONNode])
    /// Members, in this order.
    case object([JSONMember])
    /// A value from a parsed document, written exactly as received unless `pretty` is asked for.
    case parsed(JSONValue)

    /// The JSON text as UTF-8.
    ///
    /// `pretty` gives each member and element a line of its own, indented by two spaces a level, at most 32 levels.
    public func serialized(pretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter(pretty: pretty)
        writer.write(self)
        return writer.bytes
    }

    /// The JSON text.
    ///
    /// `pretty` gives each member and element a line of its own, indented by two spaces a level, at most 32 levels.
    public func text(pretty: Bool = false) -> String {
        String(decoding: self.serialized(pretty: pretty), as: UTF8.self)
    }
}
