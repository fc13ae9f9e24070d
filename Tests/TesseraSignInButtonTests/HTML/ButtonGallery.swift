// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSignInButton

/// A page with every button, used for the picture in the documentation.
enum ButtonGallery {
    static var html: String {
        get throws {
            let grounds = try [GoogleSignInButtonColorScheme.light, .dark].map(Self.ground)
            return """
                <!DOCTYPE html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-gallery'">
                <title>Sign-in buttons</title>
                <style nonce="gallery">\(GoogleSignInButtonHTML.styleSheet)
                \(Self.style)</style>
                </head>
                <body>
                \(grounds.joined(separator: "\n"))
                </body>
                </html>

                """
        }
    }

    private static func ground(_ scheme: GoogleSignInButtonColorScheme) throws -> String {
        let states = GoogleSignInButtonState.allCases
        let heads = states.map { "<th scope=\"col\">\($0.rawValue)</th>" }.joined()
        let rows = try GoogleSignInButtonStyle.allCases.map { style in
            let cells = try states.map { state in
                let button = try GoogleSignInButtonHTML(action: "/sign-in", scheme: scheme, style: style, state: state)
                return "<td>\(button.html)</td>"
            }
            return "<tr><th scope=\"row\">\(style.rawValue)</th>\(cells.joined())</tr>"
        }
        let languages = try ["de", "fr", "es", "pt-BR", "pl", "el", "uk", "vi", "ja", "zh-Hant", "ar", "he"]
            .map { language in
                try GoogleSignInButtonHTML(action: "/sign-in", scheme: scheme, style: .wide, locale: language).html
            }
        return """
            <section class="\(scheme.rawValue)"><h1>\(scheme.rawValue)</h1>
            <table><tr><td></td>\(heads)</tr>
            \(rows.joined(separator: "\n"))
            </table>
            <p>\(languages.joined(separator: "\n"))</p></section>
            """
    }

    private static let style = """
        body { margin: 0; display: grid; grid-template-columns: 1fr 1fr; height: 100vh; font: 13px Roboto, sans-serif; }
        section { padding: 28px 32px; }
        .light { background: #ffffff; color: #444746; }
        .dark { background: #1e1f20; color: #c4c7c5; }
        h1 { margin: 0 0 12px; font-size: 18px; font-weight: 500; }
        table { border-spacing: 0 14px; }
        th { padding-right: 20px; font-weight: 400; text-align: left; }
        td { padding-right: 20px; white-space: nowrap; }
        p { display: flex; flex-wrap: wrap; gap: 14px; margin: 16px 0 0; }
        """
}
