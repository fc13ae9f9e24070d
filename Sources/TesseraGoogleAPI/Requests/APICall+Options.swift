// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJSON

extension APICall {
    /// Asks for these fields of the answer alone: `"files(id,name)"`.
    ///
    /// Pages go on all the same: what names the next one is asked for too.
    ///
    /// - SeeAlso: [Partial responses](https://developers.google.com/workspace/drive/api/guides/fields-parameter)
    public func fields(_ selection: FieldSelection) -> Self { self.setting("fields", selection.text) }

    /// Counts the call against the quota of a user of the program's own, named by at most 40 characters.
    public func quotaUser(_ name: String) -> Self { self.setting("quotaUser", name) }

    /// Sets a parameter that generated code does not know.
    public func parameter(_ name: String, _ value: String) -> Self { self.setting(name, value) }

    /// Changes only what still has this entity tag; else the API answers 412.
    public func ifMatch(_ entityTag: String) -> Self {
        var call = self
        call.headerFields[.ifMatch] = entityTag
        return call
    }

    /// Answers only with what has another entity tag; else the API answers 304, a ``GoogleAPIError`` of that status.
    public func ifNoneMatch(_ entityTag: String) -> Self {
        var call = self
        call.headerFields[.ifNoneMatch] = entityTag
        return call
    }

    private func setting(_ name: String, _ value: String) -> Self {
        var call = self
        call.commonParameters.set(name, .string(value))
        return call
    }
}
