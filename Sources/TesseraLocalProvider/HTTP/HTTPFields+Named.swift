// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

extension HTTPFields {
    /// A field by the text of its name; a text that cannot be a name reads as nil and writes nothing.
    subscript(named name: String) -> String? {
        get { HTTPField.Name(name).flatMap { self[$0] } }
        set {
            guard let name = HTTPField.Name(name) else { return }
            self[name] = newValue
        }
    }
}
#endif
