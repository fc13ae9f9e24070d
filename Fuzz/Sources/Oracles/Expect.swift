// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Stops the program unless the condition is true.
///
/// libFuzzer treats this as a crash and saves the input.
public func expect(
    _ condition: @autoclosure () -> Bool,
    _ rule: @autoclosure () -> String,
    file: StaticString = #file,
    line: UInt = #line
) {
    if !condition() { fatalError("The oracle found a violation: " + rule(), file: file, line: line) }
}

extension [UInt8] {
    /// Creates an array with the bytes from libFuzzer, which passes a null pointer for an empty input.
    public init(fuzzing start: UnsafePointer<UInt8>?, _ count: Int) {
        self = Array(UnsafeBufferPointer(start: start, count: count))
    }
}
