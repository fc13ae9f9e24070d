// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Which fields of an answer a call asks for, in Google's words: `id,name`, `files(id,owners/emailAddress)`, `*`.
///
///     drive.files.list().fields("files(id,name)")
///     drive.files.get(fileId: id).fields(.of(\.id, \.name))
///
/// - SeeAlso: [Partial responses](https://developers.google.com/workspace/drive/api/guides/fields-parameter)
public struct FieldSelection: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// What is sent.
    public let text: String

    /// A selection in Google's words.
    public init(_ text: String) { self.text = text }

    /// A selection in Google's words.
    public init(stringLiteral text: String) { self.text = text }

    /// A selection of properties, which may be properties of properties: `.of(\File.name, \File.owners?[0].displayName)`.
    public static func of<Root: APIObject, each Value>(_ properties: repeat KeyPath<Root, (each Value)?>) -> Self {
        var paths: [String] = []
        for property in repeat each properties {
            let recorder = APIPathRecorder()
            _ = Root(storage: APIStorage(recorder))[keyPath: property]
            paths.append(recorder.path.joined(separator: "/"))
        }
        return Self(paths.joined(separator: ","))
    }

    /// Some fields of a property: `.in(\FileList.files, .of(\File.id))`.
    public static func `in`<Root: APIObject, Value>(_ property: KeyPath<Root, Value?>, _ inner: FieldSelection) -> Self
    {
        let name = Root.memberName(of: property) ?? "*"
        return Self("\(name)(\(inner.text))")
    }

    /// Both.
    public static func + (left: Self, right: Self) -> Self { Self(left.text + "," + right.text) }

    /// What is sent.
    public var description: String { self.text }

    /// Whether a field of the outermost object is asked for.
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
