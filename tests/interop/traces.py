"""Timelines of traced jobs, as readers of the Chrome trace format see them: spans nest on each lane, arrows lead forward. The trace processor of
Perfetto reads them too, where its program can be had: its Python package fetches that from the network when it is first used."""
import collections
import json
import os
import subprocess

from report import require

STEPS = 20
JOBS = {
    "local": ["--strategy", "local"],
    "mirrored": ["--strategy", "mirrored", "--workers", "2"],
    "all-reduce": ["--strategy", "allreduce", "--workers", "2"],
    "ps sync": ["--strategy", "ps", "--sync", "--workers", "2", "--servers", "2"],
    "ps async": ["--strategy", "ps", "--async", "--workers", "2"],
    "ps staleness": ["--strategy", "ps", "--staleness", "1", "--workers", "2"],
}


def trace(trireme, folder, name):
    run = os.path.join(folder, name.replace(" ", "-"))
    subprocess.run([trireme, "train", "lenet", "--data", "digits:500", "--batch", "16", "--steps", str(STEPS), "--threads", "1", "--trace",
                    "--quiet", "--out", run, *JOBS[name]], check=True, capture_output=True)
    return os.path.join(run, "trace.json")


def nanoseconds(event, key):
    return round(event[key] * 1000)


def check_nesting(spans):
    """On a lane, two spans lie beside each other, or one in the other. Returns how many spans there are."""
    lanes = collections.defaultdict(list)
    for span in spans:
        begin = nanoseconds(span, "ts")
        lanes[span["pid"], span["tid"]].append((begin, -(begin + nanoseconds(span, "dur")), span["name"]))
    for lane in lanes.values():
        around = []
        for begin, end, name in sorted(lane):
            while around and -around[-1][0] <= begin:
                around.pop()
            require(not around or end >= around[-1][0] - 1, f"{name} ends after {around[-1][1] if around else ''}, in which it began")
            around.append((end, name))
    return sum(len(lane) for lane in lanes.values())


def check_format(path):
    with open(path) as file:
        timeline = json.load(file)
    events = timeline["traceEvents"]
    spans = check_nesting([event for event in events if event["ph"] == "X"])
    sent = {event["id"]: event for event in events if event["ph"] == "s"}
    received = [event for event in events if event["ph"] == "f"]
    for event in received:
        require(event["id"] in sent and sent[event["id"]]["ts"] <= event["ts"], "a message arrives that was not sent before")
    return f"{spans} spans, {len(received)} arrows"


def check_with_perfetto(path, arrows):
    from perfetto.trace_processor import TraceProcessor
    processor = TraceProcessor(trace=path)
    try:
        def number(query):
            return next(iter(processor.query(query))).value

        errors = number("select coalesce(sum(value), 0) as value from stats where severity = 'error' and source = 'analysis'")
        steps = number("select count(*) as value from slice where name = 'step'")
        flows = number("select count(*) as value from flow")
        require(errors == 0, f"the trace processor counts {errors} errors")
        require(steps >= STEPS, f"{steps} steps")
        require(flows > 0 or not arrows, "no arrows")
        return f"{steps} steps, {flows} arrows"
    finally:
        processor.close()


def has_perfetto():
    try:
        from perfetto.trace_processor import TraceProcessor
        TraceProcessor().close()
        return True
    except Exception as error:  # the package is missing, or cannot fetch its program
        print(f"skipped the trace processor: {type(error).__name__}: {error}", flush=True)
        return False


def run(report, trireme, folder):
    perfetto = has_perfetto()
    for name in JOBS:
        path = trace(trireme, folder, name)
        report.check(f"the timeline of a traced job ({name}) nests, and its arrows lead forward", lambda path=path: check_format(path))
        if perfetto:
            report.check(f"Perfetto's trace processor reads it ({name})",
                         lambda path=path, arrows=name != "local": check_with_perfetto(path, arrows))
