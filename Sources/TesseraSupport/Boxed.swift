// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// An optional value in indirect storage, which reduces a large and usually absent value to eight bytes.
package struct Boxed<Value> {
    @usableFromInline
    indirect enum Storage {
        case none
        case some(Value)
    }

    @usableFromInline var storage: Storage

    @inlinable
    package init(_ value: Value? = nil) { self.storage = value.map { .some($0) } ?? .none }

    @inlinable
    package var value: Value? {
        get { if case .some(let value) = self.storage { value } else { nil } }
        set { self.storage = newValue.map { .some($0) } ?? .none }
    }
}

extension Boxed.Storage: Sendable where Value: Sendable {}
extension Boxed: Sendable where Value: Sendable {}
extension Boxed.Storage: Equatable where Value: Equatable {}
extension Boxed: Equatable where Value: Equatable {}
extension Boxed.Storage: Hashable where Value: Hashable {}
extension Boxed: Hashable where Value: Hashable {}
