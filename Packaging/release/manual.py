# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Writes a manual page in mdoc for each command, from the programs' own help ('--experimental-dump-help')."""
import datetime
import json
import re
import textwrap

from .common import epoch, run

# The programs that implement commands of `tessera`, with the commands. A program that has the command as a subcommand
# describes it there; otherwise the program is the command.
SIBLINGS = {"tessera-api": ["api", "calendar", "drive", "gmail", "storage"], "tessera-provider": ["provider", "demo"]}


def help_of(program):
    return json.loads(run(program, "--experimental-dump-help"))["command"]


def escape(text):
    """Escapes text for a line of roff that is not a macro call."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("–", "\\(en")
    return "\\&" + text if text.startswith((".", "'")) else text


def argument(word):
    """Escapes a word that is an argument of a macro. Words that are macros themselves would be called."""
    word = word.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return f'"\\&{word}"' if re.search(r"\s", word) or re.fullmatch(r"[A-Z%][a-z0-9]\w?|[.,:;()\[\]?!|]", word) else "\\&" + word


def wrapped(text):
    """Returns short lines. Each sentence begins on a new line, which is mdoc's convention."""
    lines = []
    for sentence in re.split(r"(?<=[.?!])(?<!\.\.\.) +|(?<=[.?!][)'\"]) +", text.replace("…", "...")):
        lines += textwrap.wrap(sentence, 66, break_long_words=False, break_on_hyphens=False)
    return [escape(line) for line in lines]


def paragraphs(text):
    """Returns the lines of a discussion. Indented lines are examples."""
    lines, isExample, isNew = [], False, True
    for line in (text or "").splitlines():
        if not line.strip():
            isNew = True
            continue
        indented = line.startswith("  ")
        if indented != isExample:
            lines.append(".Bd -literal -offset indent" if indented else ".Ed")
            isExample = indented
        elif isNew and lines and not indented:
            lines.append(".Pp")
        isNew = False
        lines += [escape(line.strip())] if indented else wrapped(line.strip())
    return lines + [".Ed"] * isExample


def label(item):
    """Returns the names of an option with its value, as the arguments of a macro."""
    value = item.get("valueName", "value")
    if item["kind"] == "positional":
        return f"Ar {argument(value)}"
    names = []
    for name in item["names"]:
        dashes = "" if name["kind"] == "short" else "\\-"
        names.append(f"Fl {dashes}{name['name'].replace('-', chr(92) + '-')}")
    return " , ".join(names) + (f" Ar {argument(value)}" if item["kind"] == "option" else "")


def shown(command):
    return [item for item in command.get("arguments", []) if item.get("shouldDisplay", True)]


def synopsis(command, isGroup):
    if isGroup:
        return [".Ar command", ".Op Ar ..."]
    lines = []
    for item in sorted(shown(command), key=lambda item: item["kind"] == "positional"):
        text = label(item) + (" ..." if item.get("isRepeating") else "")
        lines.append(f".Op {text}" if item.get("isOptional") else f".{text}")
    return lines


def options(command):
    lines, sections = [], {}
    for item in shown(command):
        sections.setdefault(item.get("sectionTitle") or "", []).append(item)
    for title, items in sections.items():
        lines += [f".Ss {escape(title.capitalize())}"] if title else []
        lines.append(".Bl -tag -width Ds")
        for item in items:
            text = " ".join(part for part in [item.get("abstract"), item.get("discussion")] if part)
            if item.get("defaultValue") and "(default:" not in text:
                text += f" (default: {item['defaultValue']})"
            lines += [f".It {label(item)}", *(paragraphs(text) or [escape(item["kind"].capitalize() + ".")])]
        lines.append(".El")
    return lines


def page(path, command):
    """Returns the page of a command, whose path is, for example, ['tessera', 'scopes', 'add']."""
    name = "-".join(path)
    day = datetime.datetime.fromtimestamp(epoch(), datetime.timezone.utc)
    subcommands = visible(command)
    related = {"-".join(path[:-1])} if len(path) > 1 else set()
    related |= {"-".join([*path, each["commandName"]]) for each in subcommands}
    lines = [
        f".Dd {day:%B} {day.day}, {day.year}", f".Dt {name.upper()} 1", ".Os", ".Sh NAME", f".Nm {name}",
        f".Nd {escape((command.get('abstract') or name).rstrip('.'))}", ".Sh SYNOPSIS", f".Nm {' '.join(path)}",
        *synopsis(command, bool(subcommands) and not command.get("defaultSubcommand")),
    ]
    if description := paragraphs(command.get("discussion")):
        lines += [".Sh DESCRIPTION", *description]
    else:
        lines += [".Sh DESCRIPTION", *wrapped(f"{command.get('abstract') or name}.")]
    if subcommands:
        lines += [".Sh COMMANDS", ".Bl -tag -width Ds"]
        for each in subcommands:
            lines += [f".It Cm {argument(each['commandName'])}", *wrapped((each.get("abstract") or "").rstrip(".") + ".")]
        lines.append(".El")
    if shown(command):
        lines += [".Sh OPTIONS", *options(command)]
    if related:
        others = sorted(related)
        lines += [".Sh SEE ALSO"] + [f".Xr {each} 1" + (" ," if each != others[-1] else "") for each in others]
    return "\n".join(lines) + "\n"


def visible(command):
    return [each for each in command.get("subcommands", []) if each.get("shouldDisplay", True) and each["commandName"] != "help"]


def pages(programs):
    """Returns the pages of all commands, by file name. `programs` maps the names of programs to their files."""
    root = help_of(programs["tessera"])
    for name, commands in SIBLINGS.items():
        if name in programs:
            sibling = help_of(programs[name])
            parts = {each["commandName"]: each for each in sibling.get("subcommands", [])}
            for index, command in enumerate(root["subcommands"]):
                if command["commandName"] in commands:
                    replacement = dict(parts.get(command["commandName"], sibling), commandName=command["commandName"])
                    root["subcommands"][index] = replacement
    found = {}

    def add(path, command):
        found["-".join(path) + ".1"] = page(path, command)
        for each in visible(command):
            add([*path, each["commandName"]], each)

    add(["tessera"], root)
    return found
