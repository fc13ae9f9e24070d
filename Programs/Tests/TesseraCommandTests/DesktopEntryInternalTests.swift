// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

@testable internal import TesseraCommand
internal import Testing
internal import TesseraUserAgents

@Suite("Desktop entries")
struct DesktopEntryInternalTests {
    private func entry(_ command: [String], name: String = "Example", icon: String? = nil) throws -> DesktopEntry {
        let scheme = try #require(PrivateScheme("com.example.app"))
        return DesktopEntry(scheme: scheme, name: name, command: command, icon: icon)
    }

    @Test("Writes the required keys and hides the entry from menus")
    func whole() throws {
        #expect(
            try self.entry(["/opt/example/bin/example"], icon: "example").text == """
                [Desktop Entry]
                Type=Application
                Version=1.0
                Name=Example
                Exec=/opt/example/bin/example %u
                Icon=example
                Terminal=false
                NoDisplay=true
                MimeType=x-scheme-handler/com.example.app;
                X-Tessera-Scheme=com.example.app

                """
        )
    }

    @Test(
        "Round-trips any path, argument and name",
        arguments: [
            "/opt/My Program/it's", #"/a"b/c"#, #"/a\b\\c\"#, "/a$HOME`id`$(id)", "/a;b&c|d>e<f*g?h#i~j", "/a%u%%f%",
            "/ä\u{301}\u{1F600}", "", " ", "\t", "a\nb\rc\r\nd", "=", "[x]", #"\s\n"#, "%u",
        ]
    )
    func hostile(_ text: String) throws {
        let entry = EntryReader(try self.entry(["/program", text, text], name: text, icon: text).text)
        let url = "com.example.app:/callback?code=%22$(id)`;&state=1"
        #expect(entry.command(for: url) == ["/program", text, text, url])
        #expect(entry.value("Name").map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
        #expect(entry.value("Icon") == text)
        #expect(entry.value("X-Tessera-Scheme") == "com.example.app")
        #expect(entry.value("MimeType") == "x-scheme-handler/com.example.app;")
    }

    @Test("Quotes and escapes values as in the specification")
    func specification() throws {
        let text = try self.entry(["/program", #"\"#, "$", "a b", "100%"]).text
        #expect(text.contains(#"Exec=/program "\\\\" "\\$" "a b" 100%% %u"# + "\n"))
    }

    @Test("Does not recognize entries of other programs or schemes")
    func ours() throws {
        let scheme = try #require(PrivateScheme("com.example.app"))
        let other = try #require(PrivateScheme("com.example.other"))
        let text = try self.entry(["/program"]).text
        #expect(DesktopEntry.isOurs(text, for: scheme))
        #expect(!DesktopEntry.isOurs(text, for: other))
        #expect(!DesktopEntry.isOurs("[Other]\nX-Tessera-Scheme=com.example.app\n", for: scheme))
        #expect(!DesktopEntry.isOurs("", for: scheme))
    }
}
