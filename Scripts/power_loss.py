# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Cuts off the power of a file system at recorded moments and checks what a store holds. Called by Scripts/power-loss.

A recording is a sequence of changes to a store, such as the mark of a refresh and the save of its result, on an ext4 file
system. Every write and flush of its block device is recorded, together with the moments at which each change began and
was reported as complete. A power loss then leaves all writes before the last flush, and any of the writes after it.
"""
import argparse
import collections
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True

from power_loss_device import LIBC, SECTOR, RecordedFile, mount

IMAGE_SIZE = 16 << 20
# The bytes of the superblock of ext4.
SUPERBLOCK = range(1024, 2048)
SUBJECTS = ("ada", "bob")
# The block size of each recording, and whether the system also writes back and commits at random moments.
RECORDINGS = ((4096, False), (4096, True), (1024, False), (1024, True))
# The first changes of each recording. The others are random.
FIRST_CHANGES = (
    "save bob", "save ada", "mark ada", "save ada", "mark ada", "unmark ada", "mark ada", "mark ada", "retain ada",
    "save ada", "save ada", "remove ada", "save ada", "mark ada", "retain ada", "unmark ada", "mark ada", "remove ada"
)
FAULTS = {
    "all": "fsync has no effect",
    "directories": "fsync of directories has no effect",
    "files": "fsync of files has no effect",
}
# The faults that must be found. On ext4, SQLite does not depend on the fsync of directories, because the fsync of a new
# file also commits its directory.
PLANTED = {"file": ("all", "directories", "files"), "sqlite": ("all", "files")}

Change = collections.namedtuple("Change", "text subject kind before after began completed")
# A power loss after `end` entries of the log. `flush` is the number of entries up to the last flush, and `kept` has a bit
# for each sector of the writes after it that has survived. The kind is “prefixes”, “subsets” or “torn”.
Loss = collections.namedtuple("Loss", "end flush kept kind")


def run(*arguments, **options):
    """Runs a program, and raises an error with its output if it fails."""
    result = subprocess.run([str(part) for part in arguments], capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise RuntimeError(f"{arguments[0]} failed: {result.stderr.strip() or result.stdout.strip()}")
    return result.stdout


def store_arguments(store, folder):
    """Returns the arguments of the probe for a store in a folder."""
    return (("sqlite:" if store == "sqlite" else "") + f"{folder}/store", f"{folder}/keys")


class Probe:
    """A process that performs changes."""

    def __init__(self, program, store, folder, environment):
        self._process = subprocess.Popen(
            [program, "change", *store_arguments(store, folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self._expect("ready")

    def perform(self, text):
        self._process.stdin.write(text + "\n")
        self._process.stdin.flush()
        self._expect("ok")

    def end(self, kill):
        if kill:
            self._process.kill()
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()

    def _expect(self, line):
        got = self._process.stdout.readline().strip()
        if got != line:
            raise RuntimeError(f"the probe printed “{got}” instead of “{line}”")


class Changes:
    """A random sequence of changes, and the state of each session after them."""

    def __init__(self, generator):
        self._random = generator
        self.states = dict.fromkeys(SUBJECTS, "none")
        self._generation = 0
        self._first = list(FIRST_CHANGES)

    def next(self):
        """Returns the text, the subject, the kind and the new state of the next change."""
        subject = self._random.choice(SUBJECTS)
        state = self.states[subject]
        if self._first:
            kind, subject = self._first.pop(0).split()
            state = self.states[subject]
        elif state == "none":
            kind = "save"
        elif state.endswith("marked"):
            # A refresh that follows an interrupted one writes the mark again. A consent retains it.
            kind = self._random.choices(("save", "mark", "unmark", "retain", "remove"), (6, 2, 1, 2, 2))[0]
        else:
            kind = self._random.choices(("mark", "save", "remove"), (6, 2, 2))[0]
        if kind == "save":
            # No generation is used twice, so that an old session cannot be mistaken for a new one.
            self._generation += 1
            size = self._random.choice((100, 1_000, 4_000, 9_000, self._random.randint(16_000, 100_000)))
            after = f"{self._generation} {size}"
            text = f"save {subject} {after}"
        elif kind == "retain":
            # The mark and the generation stay the same, so the size has to be different.
            generation, size = state.split()[:2]
            after = f"{generation} {int(size) % 20_000 + 1_000} marked"
            text = f"retain {subject} {after.removesuffix(' marked')}"
        elif kind == "mark":
            after, text = state.removesuffix(" marked") + " marked", f"mark {subject} {state.split()[0]}"
        elif kind == "unmark":
            after, text = state.removesuffix(" marked"), f"unmark {subject}"
        else:
            after, text = "none", f"remove {subject}"
        self.states[subject] = after
        return text, subject, kind, state, after


class Disturbance:
    """A thread that commits the file system at random moments, as the kernel does in the background."""

    def __init__(self, folder, generator):
        self._descriptor = os.open(folder, os.O_RDONLY)
        self._random = generator
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _work(self):
        while not self._end.wait(self._random.uniform(0, 0.004)):
            if LIBC.syncfs(self._descriptor) != 0:
                raise OSError("syncfs failed")

    def stop(self):
        self._end.set()
        self._thread.join()
        os.close(self._descriptor)


class Recording:
    """The writes and flushes of a block device while a store was changed, and the changes."""

    def __init__(self, options, store, number, folder, fault):
        self.block_size, self.is_disturbed = RECORDINGS[number]
        self.name = f"{store}, recording {number + 1}"
        generator = random.Random(f"{options.seed} {store} {number}")
        image = folder / "base.img"
        with open(image, "wb") as file:
            file.truncate(IMAGE_SIZE)
        run("mkfs.ext4", "-q", "-F", "-b", self.block_size, "-E", "lazy_itable_init=0,lazy_journal_init=0", image)
        self.base = image.read_bytes()
        self.changes = []
        environment = dict(os.environ)
        if fault:
            environment.update(LD_PRELOAD=str(options.shim), WITHOUT_FSYNC=fault)
        backing, volume = folder / "device", folder / "volume"
        device = RecordedFile(backing, self.base)
        volume.mkdir(exist_ok=True)
        try:
            run("mount", "-t", "ext4", "-o", "loop", backing, volume)
            try:
                self._check_flushes(volume)
                self._perform(options, store, volume, environment, device, generator)
            finally:
                run("umount", volume)
        finally:
            run("umount", backing)
            device.close()

    @staticmethod
    def _check_flushes(volume):
        """Checks that the loop device passes flushes on."""
        device = os.stat(volume).st_dev
        cache = pathlib.Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/queue/write_cache").read_text().strip()
        if cache != "write back":
            raise RuntimeError(f"the loop device does not pass flushes on: its cache is “{cache}”")

    def _perform(self, options, store, volume, environment, device, generator):
        changes = Changes(generator)
        probe = Probe(options.probe, store, volume, environment)
        disturbance = Disturbance(volume, random.Random(generator.random())) if self.is_disturbed else None
        try:
            for _ in range(options.changes):
                text, subject, kind, before, after = changes.next()
                began = len(device.log)
                probe.perform(text)
                self.changes.append(Change(text, subject, kind, before, after, began, len(device.log)))
                # Another process opens the store, which completes what the last one left.
                if generator.random() < 0.15:
                    probe.end(kill=generator.random() < 0.5)
                    probe = Probe(options.probe, store, volume, environment)
        finally:
            if disturbance:
                disturbance.stop()
            self.log = device.log[:]
            probe.end(kill=True)

    def prefixes(self):
        """Returns a power loss after each write, in which all writes before it have survived."""
        losses, flush = [], 0
        for end in range(len(self.log) + 1):
            # The last moment before the next write, at which the most changes have been completed.
            if end == len(self.log) or self.log[end] is not None:
                losses.append(Loss(end, flush, tuple(self._all(index) for index in range(flush, end)), "prefixes"))
            elif self.log[end] is None:
                flush = end + 1
        return losses

    def subset(self, generator):
        """Returns a power loss at a random moment, in which random writes after the last flush have survived."""
        while True:
            end = generator.randint(1, len(self.log))
            flush = next((index + 1 for index in range(end - 1, -1, -1) if self.log[index] is None), 0)
            if flush < end:
                break
        lost, torn = generator.choice((0.1, 0.3, 0.5, 0.8)), generator.choice((0, 0.2, 0.5))
        kept, kind = [], "subsets"
        for index in range(flush, end):
            sectors = self._all(index)
            if generator.random() < lost:
                sectors = 0
            elif generator.random() < torn:
                sectors = self._torn(index, generator)
                if sectors not in (0, self._all(index)):
                    kind = "torn"
            kept.append(sectors)
        return Loss(end, flush, tuple(kept), kind)

    def _all(self, index):
        """Returns a bit for each sector of a write."""
        return (1 << (len(self.log[index][1]) + SECTOR - 1) // SECTOR) - 1

    def _torn(self, index, generator):
        """Returns the bits of the first, the last or random sectors of a write."""
        sectors = self._all(index)
        count = sectors.bit_length()
        cut = generator.randint(0, count)
        kept = generator.choice(((1 << cut) - 1, sectors & ~((1 << cut) - 1), generator.getrandbits(count)))
        # The superblock has a checksum and is not in the journal, so ext4 requires that its sectors are written together.
        first = SUPERBLOCK.start // SECTOR - self.log[index][0] // SECTOR
        if 0 <= first < count:
            both = 3 << first
            kept = kept | both if kept >> first & 1 else kept & ~both
        return kept & sectors

    def apply(self, image, first, last):
        """Applies all writes of a part of the log."""
        for entry in self.log[first:last]:
            if entry is not None:
                image[entry[0]:entry[0] + len(entry[1])] = entry[1]

    def apply_kept(self, image, loss):
        """Applies the surviving sectors of the writes after the last flush, in order."""
        for index, sectors in zip(range(loss.flush, loss.end), loss.kept):
            offset, data = self.log[index]
            if sectors == self._all(index):
                image[offset:offset + len(data)] = data
                continue
            for sector in range(sectors.bit_length()):
                if sectors >> sector & 1:
                    part = data[sector * SECTOR:(sector + 1) * SECTOR]
                    image[offset + sector * SECTOR:offset + sector * SECTOR + len(part)] = part

    def used_ranges(self):
        """Returns the ranges of the image that are not always zero."""
        chunk = 4096
        used = {start // chunk for start in range(0, IMAGE_SIZE, chunk) if any(self.base[start:start + chunk])}
        for entry in self.log:
            if entry is not None:
                used.update(range(entry[0] // chunk, (entry[0] + len(entry[1]) - 1) // chunk + 1))
        ranges = []
        for number in sorted(used):
            if ranges and ranges[-1][1] == number * chunk:
                ranges[-1][1] += chunk
            else:
                ranges.append([number * chunk, (number + 1) * chunk])
        return ranges

    def expected(self, loss, subject):
        """Returns the change in progress and the last completed state of a subject's session."""
        state = "none"
        for change in self.changes:
            if change.subject != subject:
                continue
            if change.completed <= loss.end:
                state = change.after
            elif change.began <= loss.end:
                return change, state
        return None, state

    def identity(self, loss):
        """Returns a value that is equal for power losses that have the same image and occur during the same change."""
        kept = list(loss.kept)
        while kept and kept[-1] == 0:
            kept.pop()
        return loss.flush, tuple(kept), tuple(self.expected(loss, subject) for subject in SUBJECTS)

    def describe(self, loss):
        """Returns a text that describes a power loss."""
        writes = sum(entry is not None for entry in self.log[:loss.end])
        total = sum(entry is not None for entry in self.log)
        details = f"block size {self.block_size}" + (", with background commits" if self.is_disturbed else "")
        lines = [f"{self.name} ({details}): power loss after {writes} of {total} writes"]
        for index, sectors in zip(range(loss.flush, loss.end), loss.kept):
            offset, data = self.log[index]
            count = self._all(index).bit_length()
            what = "survived" if sectors == self._all(index) else "lost" if sectors == 0 else f"torn ({sectors:0{count}b})"
            lines.append(f"    write of {len(data)} bytes at {offset} after the last flush: {what}")
        completed = [change.text for change in self.changes if change.completed <= loss.end]
        current = [change.text for change in self.changes if change.began <= loss.end < change.completed]
        lines.append(f"    completed: {len(completed)} changes" + (f", up to “{completed[-1]}”" if completed else ""))
        lines.append("    in progress: " + (f"“{current[0]}”" if current else "none"))
        return "\n".join(lines)


class Replay:
    """Constructs the file system after each power loss and reads the store on it."""

    def __init__(self, options, store, folder):
        self._options, self._store = options, store
        self._image, self._volume = folder / "lost.img", folder / "recovered"
        self._volume.mkdir(exist_ok=True)
        self.results = collections.Counter()

    def check(self, recordings, losses):
        """Yields each power loss with the image and, if there are violations, its description and the violations."""
        for recording, own in zip(recordings, losses):
            durable, applied = bytearray(recording.base), 0
            ranges = recording.used_ranges()
            for loss in sorted(own, key=lambda loss: loss.flush):
                recording.apply(durable, applied, loss.flush)
                applied = loss.flush
                image = bytearray(durable)
                recording.apply_kept(image, loss)
                self._write(image, ranges)
                result, violations = self._read(recording, loss)
                self.results["violations" if violations else result] += 1
                yield loss, image, [recording.describe(loss), *violations] if violations else []

    def _write(self, image, ranges):
        self._image.unlink(missing_ok=True)
        view = memoryview(image)
        with open(self._image, "wb", buffering=0) as file:
            file.truncate(IMAGE_SIZE)
            for start, end in ranges:
                file.seek(start)
                file.write(view[start:end])

    def _read(self, recording, loss):
        """Mounts the image, reads the store, and returns the result and the violations."""
        try:
            # ext4 recovers its journal.
            run("mount", "-t", "ext4", "-o", "loop", self._image, self._volume)
            try:
                output = run(
                    self._options.probe, "report", *store_arguments(self._store, self._volume), *SUBJECTS, timeout=120
                )
            finally:
                run("umount", self._volume)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            return None, [str(error)]
        return self._compare(dict(line.split(": ", 1) for line in output.splitlines() if ": " in line), recording, loss)

    @staticmethod
    def _compare(report, recording, loss):
        """Returns which session the store holds, and what differs from both the old and the new one."""
        violations, result = [], "between changes"
        for subject in SUBJECTS:
            change, old = recording.expected(loss, subject)
            loaded, locked = report.get(f"{subject} loaded"), report.get(f"{subject} locked")
            permitted, permitted_unlocked = {old}, {old}
            if change:
                permitted.add(change.after)
                permitted_unlocked.add(change.after)
                # A removal may remove the mark first. A save that only needs to be completed, which the next update
                # does, is read as the old session without its mark.
                if change.kind == "remove":
                    permitted.add(old.removesuffix(" marked"))
                if change.kind in ("remove", "save", "retain"):
                    permitted_unlocked.add(old.removesuffix(" marked"))
                result = "new" if locked == change.after else "old"
            for found, choices, when in ((loaded, permitted_unlocked, ""), (locked, permitted, " under the lock")):
                if found not in choices:
                    violations.append(f"{subject}: loaded “{found}”{when}, expected “{'” or “'.join(sorted(choices))}”")
            if report.get(f"{subject} next") != "ok":
                violations.append(f"{subject}: the next refresh fails: {report.get(f'{subject} next')}")
        listed = " ".join(subject for subject in SUBJECTS if report.get(f"{subject} loaded") != "none")
        if report.get("listed") != listed:
            violations.append(f"listed “{report.get('listed')}”, expected “{listed}”")
        return result, violations


def losses_of(recordings, count, generator):
    """Returns the power losses of each recording: every prefix, and enough distinct random subsets."""
    chosen = [recording.prefixes() for recording in recordings]
    known = [{recording.identity(loss) for loss in losses} for recording, losses in zip(recordings, chosen)]
    missing = max(count - sum(map(len, chosen)), count // 2)
    # A recording has a limited number of states.
    for attempt in range(missing * 100):
        if missing == 0:
            break
        number = attempt % len(recordings)
        loss = recordings[number].subset(generator)
        identity = recordings[number].identity(loss)
        if identity not in known[number]:
            known[number].add(identity)
            chosen[number].append(loss)
            missing -= 1
    return chosen


def check(options, store, fault, folder):
    """Records and checks one store, and returns a row of the table. With a fault, stops at the first violation."""
    start = time.monotonic()
    recordings = [Recording(options, store, number, folder, fault) for number in range(len(RECORDINGS))]
    losses = losses_of(recordings, options.states, random.Random(f"{options.seed} {store} losses"))
    replay = Replay(options, store, folder)
    states, first = collections.Counter(), None
    for loss, image, violations in replay.check(recordings, losses):
        states[loss.kind] += 1
        if states.total() % 100 == 0:
            print(f"{store}: {states.total()} of {sum(map(len, losses))} states", file=sys.stderr)
        if violations and first is None:
            first = "\n    ".join(violations)
            if options.images and fault == options.without_fsync:
                options.images.mkdir(parents=True, exist_ok=True)
                path = options.images / f"{store}-{fault or 'no-fault'}.img"
                path.write_bytes(image)
                first += f"\n    The image is {path}."
            if fault:
                break
    row = {"store": store, "fault": FAULTS.get(fault, "none"), "states": states.total()}
    row.update({kind: states[kind] for kind in ("prefixes", "subsets", "torn")})
    row.update({result: replay.results[result] for result in ("between changes", "old", "new", "violations")})
    return {**row, "seconds": round(time.monotonic() - start), "first": first}


def print_table(rows):
    columns = [column for column in rows[0] if column != "first"]
    cells = [columns] + [[str(row[column]) for column in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells)]
    for row in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--probe", required=True)
    parser.add_argument("--shim", type=pathlib.Path, required=True)
    parser.add_argument("--images", type=pathlib.Path)
    parser.add_argument("--stores", default="file,sqlite", type=lambda text: text.split(","))
    parser.add_argument("--states", type=int, default=1000)
    parser.add_argument("--changes", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "little"))
    parser.add_argument("--without-fsync", nargs="?", const="all", choices=FAULTS)
    options = parser.parse_args()
    print(f"seed: {options.seed}", flush=True)
    rows, planted = [], []
    with tempfile.TemporaryDirectory() as name:
        # All mounts are in a private namespace and end with this process.
        mount("tmpfs", name, "tmpfs", "size=256m,mode=700")
        folder = pathlib.Path(name)
        try:
            for store in options.stores:
                rows.append(check(options, store, options.without_fsync, folder))
            if not options.without_fsync:
                for store in options.stores:
                    planted += [check(options, store, fault, folder) for fault in PLANTED[store]]
        finally:
            run("umount", name)
    print_table(rows + planted)
    for row in rows:
        if row["first"]:
            print(f"\nViolation: {row['first']}")
    missed = [row for row in planted if not row["first"]]
    for row in missed:
        print(f"\nA planted fault was not found: {row['store']}: {row['fault']}.")
    return 1 if missed or any(row["first"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
