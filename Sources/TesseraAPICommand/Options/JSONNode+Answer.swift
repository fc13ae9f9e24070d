// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
internal import TesseraCommand
internal import TesseraJSON

extension JSONNode {
    /// An answer's JSON, written anew.
    static func anew(_ node: JSONNode) -> JSONNode {
        if case .parsed(let value) = node { return JSONNode(anew: value) }
        return node
    }
}
#endif
