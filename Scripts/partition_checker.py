# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Decides from the history of a run of Scripts/partitions whether the promises of Docs/Sessions.md were kept.

The history has the events of the proxies of all clients (each refresh token that was sent, each response that arrived, and
each statement of the store with its result), of the provider, of the clients' callers, and of the script (faults, and the
changes that each database server had committed at a failover and at the end).
"""
import collections
import copy
import hashlib

import partition_history

# The rules, with the promise that each of them checks.
RULES = {
    "mark": "A refresh token is sent only after a mark for it was saved.",
    "lease": "A lease is acquired only after the previous one was released or has expired.",
    "one-refresh": "At most one refresh of an account is on the wire, unless a lease expired during a fault.",
    "replaced": "A refresh token is not sent after its replacement was saved, or has arrived in the same process.",
    "usable": "A usable refresh token is lost only if its response was not saved because of a fault.",
    "interrupted": "A session that ends because of an unsaved response ends with the code interrupted.",
    "transient": "A session ends only after the provider has responded with invalid_grant.",
    "durable": "A save that was acknowledged is in the database at the end, or was lost in a failover.",
    "failover": "A failover loses nothing that was acknowledged (synchronous replication), or exactly the transactions that the "
                "standby had not received (asynchronous replication).",
    "saved-first": "A token that a caller receives was saved before, for the same account.",
    "served": "Every client receives a token after the faults have ended.",
}
# Faults that do not affect a lease.
UNRELATED = ("provider", "clock")
# After the end of a fault, TCP and the store wait before they try again.
RECOVERY = 5
# The process whose tokens could not be saved has saved them later, but another process had used the old refresh token.
REVOKED = "restored, but revoked by reuse detection"
# The assumption "Saves" of Docs/Sessions.md: these saves were rejected.
FAILURES = {"53100": "disk full between mark and save"}
# A margin for the order of events in different processes.
MARGIN = 0.05


class Request:
    """A refresh that a client sent."""

    def __init__(self, event, process):
        self.process = process
        self.host, self.account = event["host"], event["account"]
        self.family, self.number = event["family"], event["number"]
        self.sent, self.end = event.get("opened", event["at"]), None
        self.status, self.next = None, None
        self.mark = None

    def __str__(self):
        return f"{self.account}'s refresh token {self.family}-{self.number}"


class Process:
    """A client process from its start to its end."""

    def __init__(self, event):
        self.host, self.account = event["host"], event["account"]
        self.start, self.end = event["at"], float("inf")


class Checker:
    """The events of a history by kind, and the violations that were found."""

    def __init__(self, events):
        self.events = events
        self.violations = []
        self.endings = collections.Counter()
        self.losses = []
        self.expired = 0
        self.run = next(event for event in events if event["event"] == "run")
        self.lease, self.synchronous = self.run["lease"], self.run["replication"] == "synchronous"
        by_kind = collections.defaultdict(list)
        for event in events:
            by_kind[event["event"]].append(event)
        self.by_kind = by_kind
        self.read_faults()
        self.read_statements()
        self.read_changes()
        self.read_requests()

    def violation(self, rule, at, text):
        self.violations.append((rule, round(at - self.run["at"], 2), text))

    # Reading

    def read_faults(self):
        self.faults, open_faults = [], {}
        for event in self.events:
            if event["event"] == "fault":
                fault = {**event, "end": float("inf")}
                open_faults[event["kind"], tuple(event["hosts"])] = fault
                self.faults.append(fault)
            elif event["event"] == "fault-end":
                open_faults.pop((event["kind"], tuple(event["hosts"])))["end"] = event["at"]

    def read_statements(self):
        """Collects the completed statements, and what each saved record contains."""
        self.contents = {}
        self.results = collections.defaultdict(list)
        self.statements = collections.defaultdict(list)
        for event in self.events:
            if event["event"] not in ("statement", "result", "unknown"):
                continue
            record = event.get("record")
            if record and "generation" in record:
                self.contents[record["digest"]] = {**record, "account": event["account"]}
            if event["event"] == "result":
                self.results[event["statement"]].append(event)
            if event["event"] == "statement":
                self.statements[event["statement"]].append(event)

    def read_changes(self):
        """Collects what the database has committed, and what a failover has lost."""
        self.committed = collections.defaultdict(dict)
        self.lost = collections.defaultdict(dict)
        self.lost_owners = collections.defaultdict(set)
        offset = self.run["clock"]
        # A save whose response was lost is repeated with the same bytes, and may have succeeded after a failover.
        survived = {(event["account"], change["digest"]) for event in self.by_kind["final"] for change in event["changes"]}
        for event in self.by_kind["final"] + self.by_kind["lost"]:
            account = event["account"]
            for change in event["changes"]:
                if change["kind"] == "record":
                    at = change["time"] - offset
                    known = self.committed[account].get(change["digest"], at)
                    self.committed[account][change["digest"]] = min(at, known)
                    if event["event"] == "lost" and (account, change["digest"]) not in survived:
                        self.lost[account][change["digest"]] = event["at"]
                elif event["event"] == "lost" and change["owner"]:
                    self.lost_owners[account].add(change["owner"])

    def read_requests(self):
        self.processes = collections.defaultdict(list)
        self.requests = []
        by_number = {}
        for event in self.events:
            kind = event["event"]
            if kind == "started":
                self.processes[event["host"], event["account"]].append(Process(event))
            elif kind == "exited":
                self.processes[event["host"], event["account"]][-1].end = event["at"]
            elif kind == "refresh-sent":
                request = Request(event, self.process(event, event.get("opened", event["at"])))
                by_number[event["host"], event["request"]] = request
                self.requests.append(request)
            elif kind in ("refresh-response", "refresh-cut"):
                request = by_number[event["host"], event["request"]]
                request.end = event["at"]
                request.status, request.next = event.get("status"), event.get("next")
        for request in self.requests:
            request.end = min(request.end or float("inf"), request.process.end if request.process else float("inf"))
        marks = [event for event in self.results["mark"] if event.get("done") and event["record"]["mark"]]
        for request in self.requests:
            earlier = [mark for mark in marks if mark["host"] == request.host and mark["account"] == request.account
                       and mark["at"] < request.sent and request.process and mark["at"] >= request.process.start]
            request.mark = earlier[-1] if earlier else None

    def process(self, event, at=None):
        """Returns the process of an event of a proxy, or nil for a sign-in."""
        at = event["at"] if at is None else at
        running = [process for process in self.processes[event["host"], event["account"]] if process.start <= at]
        return running[-1] if running else None

    # Questions

    def parts(self, digest):
        """Returns the account, family and number of a record's refresh token, or None."""
        record = self.contents.get(digest)
        return record and partition_history.token_parts(record["refresh"])

    def was_lost(self, account, digest, after, before):
        at = self.lost[account].get(digest)
        return at is not None and after <= at + RECOVERY and at <= before + 2 * RECOVERY

    def trouble(self, host, account, start, end):
        """Returns for how long faults that can keep a client from renewing its lease lasted, including the recovery."""
        spans = sorted(
            (max(start, fault["at"]), min(end, fault["end"] + RECOVERY)) for fault in self.faults
            if host in fault["hosts"] and fault.get("account", account) == account
            and not fault["kind"].startswith(UNRELATED) and fault["at"] < end and fault["end"] + RECOVERY > start)
        total, last = 0, start
        for first, until in spans:
            total += max(0, until - max(first, last))
            last = max(last, until)
        return total

    # Rules

    def check(self):
        self.check_leases()
        self.check_requests()
        self.check_endings()
        self.check_final()
        self.check_failovers()
        self.check_tokens()
        for event in self.by_kind["final-call"]:
            if not event["served"]:
                self.violation("served", event["at"], f"{event['host']} did not receive a token of {event['account']}")
        self.violations.sort(key=lambda violation: violation[1])
        return self.violations

    def check_leases(self):
        """Checks that no two owners hold the lease of an account, and notes the leases that expired during a fault."""
        self.expiries = []
        for account in self.run["accounts"]:
            held = {}
            events = sorted(
                [event for kind in ("take", "renew", "mark", "save", "remove") for event in self.results[kind]
                 if event["account"] == account and event.get("done")]
                + [event for event in self.statements["release"] if event["account"] == account],
                key=lambda event: event["at"])
            for event in events:
                owner = event["owner"]
                if event["statement"] == "release":
                    held.pop(owner, None)
                    continue
                if event["statement"] == "take":
                    for other, last in list(held.items()):
                        if other == owner or last["at"] > event["sent"]:
                            continue
                        del held[other]
                        if other in self.lost_owners[account]:
                            continue
                        if event["at"] + MARGIN < last["sent"] + self.lease:
                            self.violation("lease", event["at"], f"{event['host']} acquired the lease of {account}, which "
                                           f"{last['host']} had renewed {event['at'] - last['sent']:.1f} seconds before")
                        self.expire(last, event)
                held[owner] = event

    def expire(self, last, take):
        """Notes that a lease expired, which is a violation if its process was running and there was no fault."""
        process = self.process(last)
        if process is None or process.end < last["sent"] + self.lease:
            return
        self.expired += 1
        self.expiries.append((take["account"], process, take["at"]))
        trouble = self.trouble(last["host"], take["account"], last["sent"], take["at"])
        if trouble < self.lease / 3:
            self.violation("lease", take["at"], f"the lease of {take['account']} that {last['host']} held expired, although "
                           f"faults lasted for only {trouble:.1f} seconds")

    def has_expired(self, request, before):
        """Returns whether the lease of a request expired, or was lost in a failover, after it had been marked."""
        if request.mark is None:
            return False
        if request.mark["owner"] in self.lost_owners[request.account]:
            return True
        return any(account == request.account and process is request.process and request.mark["sent"] <= at <= before
                   for account, process, at in self.expiries)

    def check_requests(self):
        previous = collections.defaultdict(list)
        saves = collections.defaultdict(list)
        for event in self.results["save"]:
            if event.get("done"):
                saves[event["account"]].append(event)
        for request in sorted(self.requests, key=lambda request: request.sent):
            marked = request.mark and self.parts(request.mark["record"]["digest"])
            if marked != (request.account, request.family, request.number):
                self.violation("mark", request.sent, f"{request.host} sent {request}, which it had not marked")
            for other in previous[request.account]:
                if other.end > request.sent + MARGIN and not self.has_expired(other, request.sent) \
                        and not self.has_expired(request, request.sent):
                    self.violation("one-refresh", request.sent,
                                   f"{request.host} sent {request} while {other.host} was waiting for a response to {other}")
                is_same = other.process is request.process and other.family == request.family
                if is_same and other.status == 200 and other.number >= request.number and other.end < request.sent \
                        and not self.lost_later(request, other.end):
                    self.violation("replaced", request.sent,
                                   f"{request.host} sent {request}, although it had received its replacement")
            marked_at = request.mark["sent"] if request.mark else request.sent
            for save in saves[request.account]:
                parts = self.parts(save["record"]["digest"])
                if save["at"] < marked_at and parts and parts[1:] > (request.family, request.number) \
                        and not self.was_lost(request.account, save["record"]["digest"], save["at"], request.sent):
                    self.violation("replaced", request.sent, f"{request.host} sent {request}, although {save['host']} had saved "
                                   f"{parts[1]}-{parts[2]}")
            previous[request.account].append(request)

    def lost_later(self, request, after):
        """Returns whether a newer refresh token of a request's account was lost in a failover before the request."""
        return any(
            (self.parts(digest) or (0, 0, 0))[1:] > (request.family, request.number)
            and self.was_lost(request.account, digest, after, request.sent)
            for digest in self.lost[request.account])

    def check_endings(self):
        """Explains the end of each session."""
        seen = set()
        for event in self.results["save"]:
            record = event["record"]
            if not event.get("done") or not record.get("ended") or record["digest"] in seen:
                continue
            seen.add(record["digest"])
            process = self.process(event)
            refused = [request for request in self.requests
                       if request.process is process and request.status == 400 and request.end <= event["at"]]
            if not refused:
                self.violation("transient", event["at"], f"{event['host']} ended the session of {event['account']} "
                               f"({record['ended']}), but the provider had not rejected its refresh token")
                continue
            reason = self.explain(refused[-1])
            self.endings[reason or "unexplained"] += 1
            if reason is None:
                self.violation("usable", event["at"], f"the session of {event['account']} ended, because {event['host']} sent "
                               f"{refused[-1]}, although its replacement could have been saved")
            elif record["ended"] != "interrupted" and not reason.startswith(("lost in failover", REVOKED)) \
                    and not self.lost_mark(refused[-1]):
                self.violation("interrupted", event["at"], f"the session of {event['account']} ended with the code "
                               f"{record['ended']} ({reason})")
        for event in self.by_kind["error"]:
            if not event["text"].startswith("The session ended"):
                continue
            process = self.process(event)
            loaded = any(load.get("record", {}).get("ended") for load in self.results["load"]
                         if load["host"] == event["host"] and load["account"] == event["account"]
                         and process.start <= load["at"] <= event["at"])
            if not loaded and not any(request.process is process and request.status == 400 for request in self.requests):
                self.violation("transient", event["at"], f"{event['host']} reported the end of {event['account']}'s session, "
                               "which neither the provider nor the database had caused")

    def lost_mark(self, request):
        """Returns whether the mark of the refresh that replaced a token was lost in a failover."""
        return any(other.mark and other.mark["record"]["digest"] in self.lost[request.account]
                   for other in self.requests if other.account == request.account
                   and (other.family, other.number) == (request.family, request.number) and other is not request)

    def rotation(self, account, family, number):
        """Returns the provider's replacement of a refresh token, or None."""
        return next((event for event in self.by_kind["refresh"] if event["result"] == "rotated"
                     and (event["account"], event["family"], event["number"]) == (account, family, number)), None)

    def sender(self, rotation):
        """Returns the request that caused a replacement."""
        host = self.run["addresses"][rotation["host"]]
        requests = [request for request in self.requests if request.host == host and request.sent <= rotation["at"]
                    and (request.account, request.family, request.number)
                    == (rotation["account"], rotation["family"], rotation["number"])]
        return requests[-1] if requests else None

    def explain(self, refused):
        """Returns why the replacement of a refresh token was not saved, or None if there is no reason."""
        account, family, number = refused.account, refused.family, refused.number
        rotation = self.rotation(account, family, number)
        if not rotation:
            return REVOKED if self.was_reused(account, family, refused.end) else None
        saved = [digest for digest in self.committed[account]
                 if (self.parts(digest) or (0, 0, 0))[1:] > (family, number) and self.parts(digest)[1] == family]
        if saved and all(digest in self.lost[account] for digest in saved):
            return "lost in failover"
        sender = self.sender(rotation)
        if not sender:
            return None
        if sender.status != 200:
            return "response lost"
        first = min((self.committed[account][digest] for digest in saved), default=float("inf"))
        if sender.process.end < min(first, refused.end):
            return "process killed"
        if self.has_expired(sender, refused.end):
            return "lease expired"
        failed = [event for event in self.results["save"] if event.get("error") and self.process(event) is sender.process
                  and self.parts(event["record"]["digest"]) and self.parts(event["record"]["digest"])[1:] > (family, number)
                  and sender.sent <= event["at"] <= refused.end]
        if failed and self.trouble(sender.host, account, failed[0]["sent"], failed[0]["at"]) > 0:
            return FAILURES.get(failed[0]["error"], "save failed with SQLSTATE " + failed[0]["error"])
        return None

    def was_reused(self, account, family, before):
        """Returns whether another process had ended a session before, for a reason, and the provider then revoked it."""
        return self.run["reuse_detection"] and any(
            request.account == account and request.family == family and request.status == 400 and request.end < before
            and self.explain(request) not in (None, REVOKED) for request in self.requests)

    def check_final(self):
        """Checks that each stored refresh token is usable at the end, or is marked because its refresh was interrupted."""
        for event in self.by_kind["final"]:
            account, record = event["account"], event["record"]
            if not record or record["ended"]:
                continue
            _, family, number = partition_history.token_parts(record["refresh"])
            rotated = [refresh for refresh in self.by_kind["refresh"] if refresh["account"] == account
                       and refresh["result"] == "rotated" and (refresh["family"], refresh["number"]) >= (family, number)]
            if not rotated:
                continue
            last = rotated[0]
            request = Request({**last, "at": last["at"]}, None)
            request.end = event["at"]
            if len(rotated) > 1 or self.explain(request) is None:
                self.violation("usable", event["at"], f"the stored refresh token {family}-{number} of {account} has been "
                               "replaced, and its replacement could have been saved")
            elif not record["mark"] and not self.lost_mark(request) and self.explain(request) != "lost in failover":
                self.violation("interrupted", event["at"], f"the stored record of {account} has no mark")

    def check_failovers(self):
        acknowledged = {}
        for kind in ("save", "mark"):
            for event in self.results[kind]:
                if event.get("done"):
                    acknowledged.setdefault(event["record"]["digest"], event)
        for event in self.by_kind["lost"]:
            account = event["account"]
            lost = {change["id"] for change in event["changes"]}
            if lost != set(event["unreceived"]):
                self.violation("failover", event["at"], f"the tables show that changes {sorted(lost)} of {account} were lost, and "
                               f"the log shows {sorted(event['unreceived'])}")
            promoted = max((other["at"] for other in self.by_kind["promoted"] if other["at"] <= event["at"]), default=0)
            for change in event["changes"]:
                known = acknowledged.get(change["digest"]) if change["kind"] == "record" else None
                if not known or known["at"] > promoted:
                    continue
                parts = self.parts(change["digest"])
                what = f"{known['statement']} of {account} {parts[1]}-{parts[2]}" if parts else f"end of {account}"
                self.losses.append(f"{what} by {known['host']}, {promoted - known['at']:.1f} s before")
                if self.synchronous:
                    self.violation("failover", event["at"], f"the {what} by {known['host']} was acknowledged and then lost")
        if not self.by_kind["final"]:
            return
        for digest, event in acknowledged.items():
            account = event["account"]
            if digest not in self.committed[account]:
                self.violation("durable", event["at"], f"the {event['statement']} of {account} by {event['host']} was "
                               "acknowledged, but the database does not have it")

    def check_tokens(self):
        saved = {}
        for account, digests in self.committed.items():
            for digest, at in digests.items():
                record = self.contents.get(digest)
                if record and record["access"]:
                    name = "".join(f"{byte:x}" for byte in hashlib.sha256(record["access"].encode()).digest()[:8])
                    saved[account, name] = min(at, saved.get((account, name), at))
        for event in self.by_kind["token"]:
            at = saved.get((event["account"], event["text"]))
            if at is None or at > event["at"] + MARGIN:
                self.violation("saved-first", event["at"],
                               f"{event['host']} received a token of {event['account']} that had not been saved")


# Changed histories

def changed(events, find, change):
    """Returns a copy of a history in which one event was changed, or None if there is no such event."""
    for index, event in enumerate(events):
        if find(event):
            copied = copy.deepcopy(event)
            result = change(copied)
            return events[:index] + ([copied] if result is None else result) + events[index + 1:]
    return None


def variants(events):
    """Yields the name of a changed history, the rule that it violates, and its events."""
    checker = Checker(events)
    checker.check()
    middle = len(events) // 3

    def late(condition):
        return lambda event, late={id(event) for event in events[middle:]}: id(event) in late and condition(event)

    complete = [request for request in checker.requests if request.status == 200 and request.mark]
    replaced = next((request for request in complete[len(complete) // 2:] if request.number > 0), None)
    if replaced:
        number = replaced.number - 1

        def older(event):
            token = partition_history.new_token("r", replaced.account, replaced.family, number)
            if event["event"] == "refresh-sent":
                event["number"] = number
            else:
                event["record"]["refresh"] = token
            return event

        def is_part(event):
            if event["event"] == "refresh-sent":
                return (event["host"], event.get("opened", event["at"])) == (replaced.host, replaced.sent)
            return (event.get("record") or {}).get("digest") == replaced.mark["record"]["digest"]
        yield "a replaced refresh token is sent again", "replaced", [
            older(copy.deepcopy(event)) if is_part(event) else event for event in events]
        yield "a mark is missing", "mark", changed(
            events, lambda event: event["event"] == "result" and event.get("owner") == replaced.mark["owner"]
            and event["statement"] == "mark", lambda event: [])
    for first, second in zip(complete, complete[1:]):
        following = next((other for other in complete if other.account == first.account and other.sent > first.end
                          and other.process is not first.process and first.process.end > other.sent), None)
        if following and not checker.has_expired(first, following.sent + checker.lease) \
                and not checker.has_expired(following, following.sent):
            yield "a response arrives after the next refresh was sent", "one-refresh", sorted(
                ({**event, "at": following.sent + 0.2} if event["event"] == "refresh-response" and event["at"] == first.end
                 else event for event in events), key=lambda event: event["at"])
            break
    releases = {event["owner"]: event["at"] for event in checker.statements["release"]}

    def holds(mark, take):
        """Returns whether the owner of a mark certainly holds the lease when another process tries to acquire it."""
        return (mark["account"] == take["account"] and mark.get("done") and take["sent"] - 2 < mark["at"] < take["sent"]
                and mark["owner"] not in checker.lost_owners[mark["account"]]
                and releases.get(mark["owner"], float("inf")) > take["at"])
    refused = next((take for take in checker.results["take"] if not take.get("done") and not take.get("error")
                    and any(holds(mark, take) for mark in checker.results["mark"])), None)
    if refused:
        yield "a lease is acquired while another process holds it", "lease", changed(
            events, lambda event: event is refused, lambda event: event.update(done=True))
    lost = {digest for account in checker.lost.values() for digest in account}
    saved = next((event for event in checker.results["save"] if event.get("done") and event["host"] != "office"
                 and event["record"]["digest"] not in lost), None)
    if saved:
        digest = saved["record"]["digest"]

        def forget(event):
            event["changes"] = [change for change in event["changes"] if change["digest"] != digest]
        forgotten = changed(events, lambda event: event["event"] == "final" and event["account"] == saved["account"], forget)
        yield "the database does not have an acknowledged save", "durable", forgotten

        def lose(event):
            event["changes"].append({"id": -1, "xid": 0, "time": saved["at"] + checker.run["clock"], "kind": "record", "owner": "",
                                     "generation": 0, "digest": digest})
            if checker.synchronous:
                event["unreceived"].append(-1)
        yield "a failover loses an acknowledged save that the standby had received", "failover", forgotten and changed(
            forgotten, lambda event: event["event"] == "lost" and event["account"] == saved["account"]
            and any(saved["at"] < other["at"] < event["at"] for other in checker.by_kind["promoted"]), lose)
    yield "a caller receives a token that was not saved", "saved-first", changed(
        events, late(lambda event: event["event"] == "token"), lambda event: event.update(text="0"))
    ended = next((event for event in checker.results["save"] if event.get("done") and event["record"].get("ended") == "interrupted"
                  and not checker.lost[event["account"]]), None)
    if ended:
        yield "an interrupted session ends with another code", "interrupted", changed(
            events, lambda event: event is ended, lambda event: event["record"].update(ended="refused"))
        process = checker.process(ended)
        refusals = {(request.host, request.end) for request in checker.requests
                    if request.process is process and request.status == 400}
        yield "a session ends after a transient failure", "transient", [
            {**event, "status": 503}
            if event["event"] == "refresh-response" and (event["host"], event["at"]) in refusals else event for event in events]
    arrived = next((sender for request in checker.requests if request.status == 400
                    and checker.explain(request) == "response lost"
                    and (sender := checker.sender(checker.rotation(request.account, request.family, request.number)))
                    and sender.process.end > request.end and not checker.has_expired(sender, request.end)), None)
    if arrived:
        yield "a response that was lost had arrived", "usable", changed(
            events, lambda event: event["event"] == "refresh-cut" and (event["host"], event["at"]) == (arrived.host, arrived.end),
            lambda event: event.update(event="refresh-response", status=200, next=arrived.number + 1))
    final = next((event for event in checker.by_kind["final"] if event["record"] and event["record"]["refresh"]
                  and partition_history.token_parts(event["record"]["refresh"])[2] > 1), None)
    if final:
        _, family, number = partition_history.token_parts(final["record"]["refresh"])

        def set_back(event):
            event["record"]["refresh"] = partition_history.new_token("r", event["account"], family, number - 2)
        yield "the stored refresh token is not the newest one", "usable", changed(
            events, lambda event: event is final, set_back)
    yield "a client is not served at the end", "served", changed(
        events, lambda event: event["event"] == "final-call", lambda event: event.update(served=False))


def undetected(events):
    """Returns how many changed histories there are, and those whose violation was not found."""
    before = {rule for rule, _, _ in Checker(events).check()}
    missed, count = [], 0
    for name, rule, variant in variants(events):
        if variant is None or rule in before:
            continue
        count += 1
        found = {rule for rule, _, _ in Checker(variant).check()}
        if rule not in found:
            missed.append(f"{name} ({rule})")
    return count, missed


# Reports

def table(rows):
    widths = [max(len(str(row[column])) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip())


def load(folder):
    return partition_history.read(sorted(folder.glob("history-*.jsonl")))


def report(folders):
    """Checks histories, prints tables, and returns the exit status."""
    rows = [("replication", "seed", "reuse", "calls", "tokens", "refreshes", "faults", "failovers", "lost saves",
             "expired leases", "ended sessions", "violations")]
    kinds = collections.defaultdict(collections.Counter)
    endings, status, notes = collections.Counter(), 0, []
    for folder in folders:
        events = load(folder)
        checker = Checker(events)
        violations = checker.check()
        run = checker.run
        name = f"{run['replication']} {run['seed']}"
        for fault in checker.faults:
            kinds[fault["kind"]][name] += 1
        endings.update(checker.endings)
        rows.append((
            run["replication"], run["seed"], "revokes" if run["reuse_detection"] else "rejects", len(checker.by_kind["call"]),
            len(checker.by_kind["token"]), sum(event["result"] == "rotated" for event in checker.by_kind["refresh"]),
            len(checker.faults), len(checker.by_kind["promoted"]),
            sum(loss.startswith("save") for loss in checker.losses), checker.expired, sum(checker.endings.values()),
            len(violations)))
        for loss in checker.losses:
            notes.append(f"{name}: lost the {loss}")
        for rule, at, text in violations:
            notes.append(f"{name}: VIOLATION of '{rule}' after {at} s: {text}")
        if run["plant"] != "none":
            expected = {"leases": {"lease", "one-refresh"}, "replication": {"failover"}}[run["plant"]]
            is_found = bool(expected & {rule for rule, _, _ in violations})
            notes.append(f"{name}: the planted fault '{run['plant']}' was {'found' if is_found else 'NOT FOUND'}")
            status |= not is_found
            continue
        if violations:
            notes.append(f"{name}: the history is in {folder}")
            status = 1
        count, missed = undetected(events)
        notes.append(f"{name}: {count - len(missed)} of {count} changed histories were rejected")
        for miss in missed:
            notes.append(f"{name}: NOT DETECTED: {miss}")
            status = 1
    table(rows)
    print()
    names = sorted({name for counts in kinds.values() for name in counts})
    table([("fault", *names)] + [(kind, *(counts[name] for name in names)) for kind, counts in sorted(kinds.items())])
    print()
    if endings:
        table([("reason for the end of a session", "sessions")] + sorted(endings.items()))
        print()
    for note in notes:
        print(note)
    return status


# The self-test

class Sample:
    """A short history of two clients that share one account, without a violation."""

    def __init__(self, replication):
        self.events, self.at, self.owners, self.requests = [], 100.0, 0, 0
        self.generation, self.changes = 0, []
        self.add("run", seed=0, replication=replication, lease=10, reuse_detection=False, clients=["client1", "client2"],
                 accounts=["ada"], addresses={"client1": "client1", "client2": "client2"}, plant="none", clock=1000.0)
        self.sign_in(1)
        for host in ("client1", "client2"):
            self.add("started", host=host, account="ada", process=1)
        for number in range(4):
            self.refresh(("client1", "client2")[number % 2], 1, number)
        self.add("fault", kind="reset", hosts=["client1"])
        self.refresh("client1", 1, 4, is_cut=True)
        self.add("fault-end", kind="reset", hosts=["client1"])
        self.end("client2", 1, 4)
        self.sign_in(2)
        for number in range(6):
            self.refresh(("client1", "client2")[number % 2], 2, number)
        self.add("promoted", primary="database2")
        self.add("lost", account="ada", changes=[], unreceived=[])
        self.refresh("client1", 2, 6)
        for host in ("client1", "client2"):
            self.add("final-call", host=host, account="ada", served=True)
            self.add("exited", host=host, account="ada", process=1)
        self.add("final", account="ada", record=self.record(2, 7), changes=self.changes)

    def add(self, event, **fields):
        self.at = round(self.at + 0.3, 3)
        self.events.append({"at": self.at, "event": event, **fields})

    def record(self, family, number, mark=False, ended=None):
        tokens = {kind: None if ended else f"{kind}-ada-{family}-{number}-00000000" for kind in "ra"}
        name = f"{family}-{number}-{mark}-{ended}"
        return {"digest": name, "generation": self.generation, "mark": mark, "refresh": tokens["r"], "access": tokens["a"],
                "ended": ended}

    def statement(self, host, kind, owner, done=True, record=None):
        fields = {"number": 1, "statement": kind, "account": "ada", "owner": owner, "host": host}
        if record:
            fields["record"] = record
            self.changes.append({"id": len(self.changes), "xid": len(self.changes), "time": self.at + 1000, "kind": "record",
                                 "owner": "", "generation": self.generation, "digest": record["digest"]})
        self.add("statement", **fields)
        self.add("result", **fields, sent=self.at, done=done)

    def take(self, host):
        self.owners += 1
        owner = f"owner{self.owners}"
        self.statement(host, "take", owner)
        return owner

    def sign_in(self, family):
        self.add("signed-in", account="ada", family=family)
        self.generation += 1
        owner = self.take("office")
        self.statement("office", "save", owner, record=self.record(family, 0))
        self.statement("office", "release", owner)

    def send(self, host, owner, family, number, result, **response):
        """Marks and sends a refresh token, and adds the response."""
        self.requests += 1
        known = {"host": host, "request": self.requests, "account": "ada", "family": family, "number": number}
        self.statement(host, "mark", owner, record=self.record(family, number, mark=True))
        self.add("refresh-sent", **known)
        self.statement("client2" if host == "client1" else "client1", "take", "waiting", done=False)
        self.add("refresh", account="ada", family=family, number=number, host=host, result=result)
        if response:
            self.add("refresh-response", **known, **response)
        else:
            self.add("refresh-cut", **known)

    def refresh(self, host, family, number, is_cut=False):
        self.add("call", host=host, account="ada", process=1)
        owner = self.take(host)
        self.send(host, owner, family, number, "rotated", **({} if is_cut else {"status": 200, "next": number + 1}))
        self.generation += 1
        if not is_cut:
            record = self.record(family, number + 1)
            self.statement(host, "save", owner, record=record)
            digest = hashlib.sha256(record["access"].encode()).digest()[:8]
            self.add("token", host=host, account="ada", process=1, text="".join(f"{byte:x}" for byte in digest))
        self.statement(host, "release", owner, done=False)

    def end(self, host, family, number):
        owner = self.take(host)
        self.send(host, owner, family, number, "invalid_grant", status=400, next=None)
        self.statement(host, "save", owner, record=self.record(family, number, ended="interrupted"))
        self.add("error", host=host, account="ada", process=1, text="The session ended")
        self.statement(host, "release", owner, done=False)


def self_test():
    """Checks that the sample has no violation and that each change of it is detected, and returns the exit status."""
    status = 0
    for replication in ("synchronous", "asynchronous"):
        events = Sample(replication).events
        violations = Checker(events).check()
        count, missed = undetected(events)
        print(f"{replication}: {len(violations)} violations, {count - len(missed)} of {count} changed histories were rejected")
        for line in [*violations, *missed]:
            print(f"  {line}")
        status |= bool(violations or missed) or count < len(RULES)
    return status
