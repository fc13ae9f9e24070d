// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
// The parts of Combine and SwiftUI that the samples use.

protocol ObservableObject: AnyObject {}

/// A property that reports its changes.
@propertyWrapper
final class Published<Value> {
    /// A closure that receives each new value.
    var didChange: ((Value) -> Void)?
    var wrappedValue: Value {
        didSet { self.didChange?(self.wrappedValue) }
    }
    var projectedValue: Published<Value> { self }

    init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}
#endif
