// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

/// What the properties of generated code are made of: one subscript for any value, and quicker ones for what most are.
///
/// Each has a label of its own, so that a compiler has nothing to choose from.
extension APIStorage {
    /// A member as a value; nil where it is absent or null.
    public subscript<Value: APIValue>(value name: String) -> Value? {
        get {
            if let recorder = self.recorder {
                recorder.note(name)
                return Value.recorded(by: recorder)
            }
            guard let node = self.node(name), !node.isNull else { return nil }
            return Value(node)
        }
        set { self.set(name, newValue?.node) }
    }

    /// A text.
    public subscript(string name: String) -> String? {
        get { self.string(name) }
        set { self.set(name, newValue.map { .string($0) }) }
    }

    /// `true` or `false`.
    public subscript(bool name: String) -> Bool? {
        get { self.node(name)?.boolValue }
        set { self.set(name, newValue.map { .bool($0) }) }
    }

    /// A number of 32 bits.
    public subscript(int name: String) -> Int? {
        get { self.node(name).flatMap { Int($0) } }
        set { self.set(name, newValue?.node) }
    }

    /// A number of 64 bits, a text in the JSON.
    public subscript(int64 name: String) -> Int64? {
        get { self.node(name).flatMap { Int64($0) } }
        set { self.set(name, newValue?.node) }
    }

    /// A number.
    public subscript(double name: String) -> Double? {
        get { self.node(name).flatMap { Double($0) } }
        set { self.set(name, newValue?.node) }
    }

    /// A point in time.
    public subscript(timestamp name: String) -> Timestamp? {
        get { self.string(name).flatMap { Timestamp($0) } }
        set { self.set(name, newValue.map { .string($0.description) }) }
    }

    /// Any JSON; also null.
    public subscript(json name: String) -> JSONNode? {
        get { self.node(name) }
        set { self.set(name, newValue) }
    }
}
