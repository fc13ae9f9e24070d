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

    @Test("An entry has what a desktop needs, and nothing that appears in a menu")
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
        "Whatever a path, an argument or a name holds, the desktop reads it as it is",
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

    @Test("Quotes and escapes stand as in the specification: backslashes fourfold, a dollar sign after two")
    func specification() throws {
        let text = try self.entry(["/program", #"\"#, "$", "a b", "100%"]).text
        #expect(text.contains(#"Exec=/program "\\\\" "\\$" "a b" 100%% %u"# + "\n"))
    }

    @Test("An entry of somebody else, or for another scheme, is not taken for ours")
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
