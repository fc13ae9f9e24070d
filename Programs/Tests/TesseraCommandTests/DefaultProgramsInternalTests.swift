// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

@testable internal import TesseraCommand
internal import Testing

@Suite("The user's default programs")
struct DefaultProgramsInternalTests {
    private static let type = "x-scheme-handler/com.example.app"
    /// Realistic `mimeapps.list` files.
    private static let files = [
        "", "[Default Applications]\ntext/html=firefox.desktop\n",
        "# mine\n\n[Added Associations]\ntext/html=a.desktop;b.desktop;\n\n[Default Applications]\ntext/html=firefox.desktop\n",
        "[Default Applications]\n# none yet\n\n[Removed Associations]\ntext/html=x.desktop\n",
        "[Default Applications]\r\ntext/html=firefox.desktop;\r\n", "no group\n[Added Associations]\n",
        "[Default Applications]\nx-scheme-handler/com.example.app=old.desktop;\n[Other]\n",
        "[Default Applications]\ntext/html = firefox.desktop\ntext/html=twice.desktop\n",
    ]

    @Test("Restores every byte after adding and removing a program", arguments: Self.files)
    func thereAndBack(_ file: String) {
        var choices = DefaultPrograms(file)
        choices.prefer("ours.desktop", for: Self.type)
        #expect(choices.programs(for: Self.type).first == "ours.desktop")
        for line in file.split(whereSeparator: \.isNewline) where !line.hasPrefix(Self.type) {
            #expect(choices.text.contains(line))
        }
        choices.remove("ours.desktop", for: Self.type)
        #expect(choices.text == file)
    }

    @Test("Puts the program before the others and restores them on removal")
    func others() {
        var choices = DefaultPrograms("[Default Applications]\n\(Self.type)=a.desktop;b.desktop\n")
        choices.prefer("ours.desktop", for: Self.type)
        choices.prefer("ours.desktop", for: Self.type)
        #expect(choices.text == "[Default Applications]\n\(Self.type)=ours.desktop;a.desktop;b.desktop;\n")
        choices.remove("ours.desktop", for: Self.type)
        #expect(choices.programs(for: Self.type) == ["a.desktop", "b.desktop"])
    }

    @Test("Ignores other groups and types, and terminates the last line")
    func apart() {
        var choices = DefaultPrograms("[Added Associations]\n\(Self.type)=a.desktop\n[Default Applications]")
        #expect(choices.programs(for: Self.type).isEmpty)
        #expect(choices.added(for: Self.type) == ["a.desktop"])
        choices.remove("a.desktop", for: Self.type)
        choices.prefer("ours.desktop", for: Self.type)
        #expect(choices.text.hasSuffix("[Default Applications]\n\(Self.type)=ours.desktop;\n"))
        #expect(choices.programs(for: Self.type + ".x").isEmpty)
    }
}
