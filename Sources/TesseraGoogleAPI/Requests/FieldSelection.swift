// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The response fields that a call requests, in Google's syntax, such as `id,name`, `files(id,owners/emailAddress)` or
/// `*`.
///
///     drive.files.list().fields("files(id,name)")
///     drive.files.get(fileId: id).fields(.of(\.id, \.name))
///
/// - SeeAlso: [Partial responses](https://developers.google.com/workspace/drive/api/guides/fields-parameter)
public struct FieldSelection: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The selection in Google's syntax.
    public let text: String

    /// Creates a selection from a string in Google's syntax.
    public init(_ text: String) { self.text = text }

    /// Creates a selection from a string literal in Google's syntax.
    public init(stringLiteral text: String) { self.text = text }

    /// Returns a selection of properties, including nested ones, such as `.of(\File.name,
    /// \File.owners?[0].displayName)`.
    public static func of<Root: APIObject, each Value>(_ properties: repeat KeyPath<Root, (each Value)?>) -> Self {
        var paths: [String] = []
        for property in repeat each properties {
            paths.append(Root.path(of: property).joined(separator: "/"))
        }
        return Self(paths.joined(separator: ","))
    }

    /// Returns a selection of fields within a property, such as `.in(\FileList.files, .of(\File.id))`.
    public static func `in`<Root: APIObject, Value>(_ property: KeyPath<Root, Value?>, _ inner: FieldSelection) -> Self
    {
        let path = Root.path(of: property)
        return Self("\(path.isEmpty ? "*" : path.joined(separator: "/"))(\(inner.text))")
    }

    /// Returns a selection with the fields of both selections.
    public static func + (left: Self, right: Self) -> Self { Self(left.text + "," + right.text) }

    /// The selection in Google's syntax.
    public var description: String { self.text }

    /// Returns whether a field of the outermost object is included in the selection.
    func contains(_ name: String) -> Bool {
        var depth = 0
        var current = ""
        for character in self.text + "," {
            switch character {
            case "(": depth += 1
            case ")": depth -= 1
            case "," where depth == 0:
                if current == name || current == "*" { return true }
                current = ""
            case _ where depth == 0: current.append(character)
            default: break
            }
        }
        return false
    }
}
