// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Stops the program, which libFuzzer takes for a crash and keeps the input, unless the condition holds.
public func expect(
    _ condition: @autoclosure () -> Bool,
    _ rule: @autoclosure () -> String,
    file: StaticString = #file,
    line: UInt = #line
) {
    if !condition() { fatalError("The oracle says no: " + rule(), file: file, line: line) }
}

extension [UInt8] {
    /// The bytes that libFuzzer gives; it calls with no address where there are none.
    public init(fuzzing start: UnsafePointer<UInt8>?, _ count: Int) {
        self = Array(UnsafeBufferPointer(start: start, count: count))
    }
}
