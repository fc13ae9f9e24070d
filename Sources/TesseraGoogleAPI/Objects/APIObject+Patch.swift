// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

extension APIObject {
    /// Makes a member null: in a patch that removes it at the server, which leaves absent ones as they are.
    ///
    ///     var patch = File()
    ///     patch.setNull(\.description)
    public mutating func setNull<Value>(_ property: KeyPath<Self, Value?>) {
        guard let name = Self.memberName(of: property) else { return }
        self.storage.set(name, .null)
    }

    /// Whether a member is there and null.
    public func isNull<Value>(_ property: KeyPath<Self, Value?>) -> Bool {
        Self.memberName(of: property).flatMap { self.storage.node($0) }?.isNull == true
    }

    /// What turns `original` into this: changed members as they are here, those that are gone as null; objects member by
    /// member, lists whole.
    public func patch(from original: Self) -> Self {
        Self(storage: self.storage.patch(from: original.storage))
    }

    /// The name in the JSON of a property; nil for what is no property of this object.
    static func memberName<Value>(of property: KeyPath<Self, Value?>) -> String? {
        let recorder = APIPathRecorder()
        _ = Self(storage: APIStorage(recorder))[keyPath: property]
        return recorder.path.first
    }
}
