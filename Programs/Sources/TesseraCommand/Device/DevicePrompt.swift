// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import Tessera
internal import TesseraJSON

/// The instructions for signing in on another device, on standard error: the URL, the code and a QR code.
struct DevicePrompt {
    let authorization: DeviceAuthorization

    init(_ authorization: DeviceAuthorization) { self.authorization = authorization }

    /// Prints the instructions as text or as a JSON object.
    func show(asJSON isJSON: Bool) {
        if isJSON {
            Console.note(json: self.json)
        } else {
            Console.note(self.text(columns: Console.columns, hasColour: Console.hasColour))
        }
    }

    private var json: JSONNode {
        let authorization = self.authorization
        return [
            "deviceAuthorization": [
                "verificationURI": .string(authorization.verificationURI),
                "verificationURIComplete": AccountReport.text(authorization.verificationURIComplete),
                "userCode": .string(authorization.userCode),
                "expiresIn": .integer(authorization.expiresIn),
            ]
        ]
    }

    /// Returns the instructions, as plain lines if there is no terminal.
    func text(columns: Int, hasColour: Bool) -> TerminalText {
        let code = self.authorization.userCode
        var lines: [TerminalText] = ["On another device, open this URL and enter the code:", ""]
        lines.append("    \(self.authorization.verificationURI)")
        lines.append("")
        if let letters = LargeText(code), letters.width + 8 <= columns {
            lines += letters.rows.map { "    \($0)" } + [""]
        }
        lines += ["    Code: \(code)", ""]
        if let picture = self.picture(columns: columns, hasColour: hasColour) {
            let isComplete = self.authorization.verificationURIComplete != nil
            lines.append(
                isComplete
                    ? "Or scan this QR code, which includes the code:" : "Or scan this QR code and enter the code:"
            )
            lines += [""] + picture + [""]
        } else if let complete = self.authorization.verificationURIComplete {
            lines += ["Or open this URL, which includes the code:", "", "    \(complete)", ""]
        }
        lines.append("The code is valid for \(TimeText.span(of: self.authorization.expiresIn)).")
        return lines.joined(separator: "\n")
    }

    /// Returns the QR code in white on black, or nil if it does not fit.
    private func picture(columns: Int, hasColour: Bool) -> [TerminalText]? {
        guard columns > 0,
            let code = QRCode(self.authorization.verificationURIComplete ?? self.authorization.verificationURI)
        else { return nil }
        let rows = code.terminalText.split(separator: "\n", omittingEmptySubsequences: false)
        guard let width = rows.first?.count, width + 4 <= columns else { return nil }
        return rows.map { hasColour ? "    \u{1B}[97;40m\($0)\u{1B}[0m" : "    \($0)" }
    }
}
