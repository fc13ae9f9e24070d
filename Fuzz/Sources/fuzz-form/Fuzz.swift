// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Oracles
@testable internal import TesseraOAuth

/// The function that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    check(Array(fuzzing: start, count))
    return 0
}

/// Compares the decoder with a second one, and checks that encoding produces printable ASCII that decodes to the same
/// parameters.
private func check(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    let form = try? FormParameters(decoding: text)
    let plain = FormText.parameters(of: text)
    expect((form == nil) == (plain == nil), "both decoders accept or reject the form")
    guard let form, let plain else { return }
    expect(
        form.parameters.elementsEqual(plain) { $0.name.isExactly($1.name) && $0.value.isExactly($1.value) },
        "both decoders return the same parameters"
    )
    let encoded = form.encoded
    expect(encoded.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "an encoded form is printable ASCII")
    let again = try? FormParameters(decoding: encoded)
    expect(
        again?.parameters.elementsEqual(form.parameters) { $0.name.isExactly($1.name) && $0.value.isExactly($1.value) }
            == true,
        "an encoded form decodes to itself"
    )
    for parameter in form.parameters.prefix(4) {
        expect(form[parameter.name] == form.values(parameter.name).first, "a subscript returns the first value")
    }
    let names = form.parameters.map(\.name)
    expect((form.repeatedName != nil) == (Set(names).count < names.count), "a repeated name is detected")
}
