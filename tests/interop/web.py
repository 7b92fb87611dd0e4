"""The live page in a headless Chromium: its numbers are those of the run folder. Its metrics as Prometheus's own checker sees them."""

import csv
import glob
import json
import math
import os
import random
import subprocess
import time
import urllib.request

from browser import Browser
from report import require

FOLDED = {
    "step": "training:step",
    "examples/s": "training:examples/s",
    "loss": "training:loss",
    "cpu": "process:cpu",
    "memory": "process:used",
}


class Page:
    """trireme watch RUN --web, and where it is."""

    def __init__(self, trireme, run, *options):
        self.process = subprocess.Popen([trireme, "watch", run, "--web", "--every", "200ms", *options], stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        require(self.url.startswith("http://"), f"trireme watch --web said '{self.url}'")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=60) as answer:
            return answer.read().decode()


def samples_of(path):
    with open(path) as file:
        rows = list(csv.reader(file))[5:]
    return rows[0], rows[1:]


def task_of(path):
    return os.path.basename(path)[: -len(".csv")].replace("-", ":")


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def shown_rows(browser):
    return browser.evaluate(
        """Object.fromEntries([...document.querySelectorAll('#tasks tbody tr')].map((row) =>
        [row.dataset.task, Object.fromEntries([...row.querySelectorAll('[data-column]')].map((cell) => [cell.dataset.column, cell.dataset.value ?? cell.textContent]))]))"""
    )


def figure(browser, name):
    return float(browser.evaluate(f"document.querySelector('[data-figure=\"{name}\"]').dataset.value"))


def told(run, task):
    """What the run folder tells of a task: its last sample, and of a run that has ended the means of summary.json."""
    names, samples = samples_of(os.path.join(run, "samples", task.replace(":", "-") + ".csv"))
    figures = {column: samples[-1][names.index(name)] for column, name in FOLDED.items()}
    if os.path.exists(os.path.join(run, "summary.json")):
        with open(os.path.join(run, "summary.json")) as file:
            summary = json.load(file)
        used = next(one for one in summary["task_stats"] if one["task"] == task)
        figures.update({"cpu": used["cpu_percent"], "memory": 1e6 * used["peak_memory_mb"], "sent": used["bytes_sent"] / used["seconds"]})
        for work in summary["worker_stats"]:
            if work["task"] == task:
                figures.update({"examples/s": work["examples"] / work["seconds"], "sent": work["bytes_sent"] / work["seconds"]})
    return figures


def compare_tasks(browser, run):
    """Each cell that the folder tells has its number. Returns how many cells were compared."""
    shown, compared = shown_rows(browser), 0
    files = glob.glob(os.path.join(run, "samples", "*.csv"))
    require(set(shown) == {task_of(path) for path in files}, f"tasks on the page: {sorted(shown)}")
    for task in shown:
        for column, value in told(run, task).items():
            cell = shown[task][column]
            if cell != "":
                require(near(float(cell), float(value)), f"{task}: {column} is {cell} on the page, {value} in the folder")
                compared += 1
    return compared


def open_page(browser, page, theme="light"):
    browser.open(page.url, theme)
    browser.until("Boolean(document.body?.dataset.drawn)")


def quiet(browser):
    require(not browser.messages, f"the page complains: {browser.messages}")


# ---- runs ----


def train(trireme, run, *options):
    return [
        trireme,
        "train",
        "lenet",
        "--data",
        "digits:2000",
        "--batch",
        "50",
        "--sample-every",
        "100ms",
        "--threads",
        "1",
        "--out",
        run,
        "--quiet",
        *options,
    ]


def make_run(folder, workers, seconds=120):
    """The samples of a job with many workers, of which one lags, on hosts of eight."""
    header = [
        "epoch",
        "usr",
        "sys",
        "used",
        "read",
        "writ",
        "recv",
        "send",
        "process:cpu",
        "process:used",
        "training:step",
        "training:examples",
        "training:examples/s",
        "training:loss",
        "training:send",
        "training:recv",
        *(f"phase:{phase}" for phase in ("input", "compute", "send", "server", "peers", "update", "other")),
    ]
    chance = random.Random(1)
    os.makedirs(os.path.join(folder, "samples"))
    start = math.floor(time.time()) - seconds
    for worker in range(workers):
        slow = worker == min(17, workers - 1)
        with open(os.path.join(folder, "samples", f"worker-{worker}.csv"), "w") as file:
            file.write(
                f'"Trireme CSV output"\n"Layout:","dstat",,,,"Every:","1.000"\n"Host:","node{worker // 8}"\n"Cmdline:","trireme"\n"groups"\n'
            )
            file.write(",".join(f'"{name}"' for name in header) + "\n")
            examples = 0
            for second in range(1, seconds + 1):
                speed = (420 if slow else 1000) * chance.uniform(0.93, 1.07)
                examples += speed
                compute = (0.85 if slow else 0.45) * chance.uniform(0.95, 1.05)
                rest = 1 - compute
                phases = [0.02 * rest, compute, 0.08 * rest, 0.6 * rest, 0.25 * rest, 0.03 * rest, 0.02 * rest]
                values = [
                    start + second,
                    70 * chance.uniform(0.9, 1.1),
                    6,
                    9e9 + 2e7 * second,
                    1e5,
                    4e5 * chance.random(),
                    8e6,
                    7e6,
                    95 * chance.uniform(0.9, 1.05),
                    1.5e8 + 1e5 * second,
                    second * 16,
                    round(examples),
                    speed,
                    2.3 * math.exp(-second / 40) + 0.2 + 0.03 * chance.random(),
                    9e5 * speed / 1000,
                    9.2e5 * speed / 1000,
                    *(100 * share for share in phases),
                ]
                file.write(",".join(f"{value:.10g}" for value in values) + "\n")


# ---- checks ----


def compare_peers(browser, summary):
    """Bytes between workers or the evaluator and servers, as in summary.json. Servers' own counts of them are left out."""
    shown = browser.evaluate(
        "[...document.querySelectorAll('#peers tbody tr')].map((row) =>"
        " [...row.cells].map((cell) => cell.dataset.value ?? cell.textContent).join(' '))"
    )
    told = [
        f"{one['task']} {peer['peer']} {peer['bytes_sent']} {peer['bytes_received']}"
        for one in summary["task_stats"]
        for peer in one.get("peers", [])
        if not one["task"].startswith("ps:")
    ]
    require(len(told) == 3 and sorted(shown) == sorted(told), f"peers {shown} on the page, {told} in summary.json")


def ended(trireme, browser, run):
    subprocess.run(
        train(trireme, run, "--epochs", "3", "--strategy", "ps", "--workers", "2", "--eval-every", "epoch"),
        check=True,
        stdout=subprocess.DEVNULL,
    )
    with Page(trireme, run) as page:
        open_page(browser, page)
        with open(os.path.join(run, "summary.json")) as file:
            summary = json.load(file)
        browser.until("document.getElementById('state').textContent.startsWith('ended')")
        for name, key in (
            ("step", "steps"),
            ("examples/s", "examples_per_second"),
            ("training loss", "train_loss"),
            ("test accuracy", "test_accuracy"),
            ("training time", "seconds"),
        ):
            require(
                near(figure(browser, name), summary[key]), f"{name} is {figure(browser, name)} on the page, {summary[key]} in summary.json"
            )
        require(browser.evaluate("document.getElementById('verdict-text').textContent") == summary["verdict"], "another verdict")
        compared = compare_tasks(browser, run)
        compare_peers(browser, summary)
        with open(os.path.join(run, "marks.csv")) as file:
            marks = list(csv.reader(file))[1:]
        require(browser.evaluate("document.querySelectorAll('#marks tbody tr').length") == len(marks), f"not {len(marks)} marks")
        accuracies = browser.evaluate(
            "document.querySelector('[data-chart=Accuracy] button').click(),"
            "[...document.querySelectorAll('[data-chart=Accuracy] tbody td')].map((cell) => cell.textContent)"
        )
        in_marks = [mark[5].split("test accuracy ")[1] for mark in marks if mark[1] == "evaluation"]
        require(sorted(accuracies) == sorted(in_marks), f"accuracies {accuracies} in the chart's table, {in_marks} in the marks")
        require(browser.evaluate("document.querySelectorAll('#graph .node').length") > 8, "the graph has too few layers")
        drawn, seen = browser.evaluate("((one) => [one.scrollWidth, one.clientWidth])(document.getElementById('graph'))")
        require(drawn <= seen, f"the graph is {drawn} pixels wide, and {seen} are seen")
        quiet(browser)
        return f"{compared} cells, {len(marks)} marks"


def running(trireme, browser, run):
    job = subprocess.Popen(
        train(trireme, run, "--steps", "1000000", "--strategy", "ps", "--workers", "2"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while len(glob.glob(os.path.join(run, "samples", "worker-*.csv"))) < 2:
            require(job.poll() is None, "the job ended by itself")
            time.sleep(0.1)
        with Page(trireme, run) as page:
            open_page(browser, page)
            browser.until("document.getElementById('state').textContent === 'running'")
            first = figure(browser, "step")
            browser.until(f"Number(document.querySelector('[data-figure=step]').dataset.value) > {first}")
            metrics(page)
            job.terminate()
            job.wait()
            browser.until("document.getElementById('state').textContent.startsWith('ended')")
            browser.until("document.querySelector('[data-figure=\"training time\"]') !== null")
            compared = compare_tasks(browser, run)
            quiet(browser)
            return f"from step {first:.0f} on; {compared} cells after the end"
    finally:
        job.terminate()
        job.wait()


def many(trireme, browser, run):
    make_run(run, 64)
    with Page(trireme, run) as page:
        open_page(browser, page)
        require(compare_tasks(browser, run) == 64 * len(FOLDED), "not all of 64 tasks are on the page")
        columns = browser.evaluate(
            "document.querySelector('[data-chart=Speed] button').click(), document.querySelectorAll('[data-chart=Speed] thead th').length"
        )
        require(columns == 65, f"the table of speeds has {columns} columns")
        hosts = browser.evaluate(
            "document.querySelector('[data-chart=\"Host CPU\"] button').click(),"
            "document.querySelectorAll('[data-chart=\"Host CPU\"] thead th').length"
        )
        require(hosts == 9, f"the table of hosts has {hosts} columns")
        quiet(browser)
        return "64 tasks on 8 hosts"


def themes(trireme, browser, run):
    background = "getComputedStyle(document.body).backgroundColor"
    with Page(trireme, run) as page:
        open_page(browser, page, "light")
        light = browser.evaluate(background)
        open_page(browser, page, "dark")
        dark = browser.evaluate(background)
        require(light != dark, f"light and dark are both {light}")
        browser.evaluate("document.getElementById('theme').click()")
        require(browser.evaluate(background) == light, "the switch does not give light")
        open_page(browser, page, "dark")
        require(browser.evaluate(background) == light, "the switch is forgotten")
        browser.evaluate("document.getElementById('theme').click(), document.getElementById('theme').click()")
        require(browser.evaluate(background) == dark, "auto is not as the system says")
        quiet(browser)


def keyboard(trireme, browser, run):
    """Tab reaches the first task, Enter selects it; everything that can be used or seen has a name."""

    def press(key, code):
        for kind in ("rawKeyDown", "char", "keyUp"):
            browser.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                text="\r" if key == "Enter" and kind == "char" else "",
            )

    with Page(trireme, run) as page:
        open_page(browser, page)
        for _ in range(60):
            press("Tab", 9)
            if browser.evaluate("document.activeElement.className") == "task":
                break
        require(browser.evaluate("document.activeElement.className") == "task", "Tab does not reach a task")
        press("Enter", 13)
        browser.until("document.activeElement.getAttribute('aria-pressed') === 'true'")
        browser.call("Accessibility.enable")
        nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
        named = ("button", "image", "img", "figure", "region", "table", "radio", "combobox", "link")
        wanting = [
            node["role"]["value"]
            for node in nodes
            if node.get("role", {}).get("value") in ("button", "image", "img", "region", "radio", "combobox", "link")
            and not node.get("ignored")
            and not node.get("name", {}).get("value")
        ]
        require(not wanting, f"without a name for screen readers: {wanting}")
        counted = sum(node.get("role", {}).get("value") in named for node in nodes if not node.get("ignored"))
        quiet(browser)
        return f"{counted} controls, pictures and tables"


def metrics(page):
    text = page.get("metrics")
    checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
    require(checked.returncode == 0 and not checked.stdout + checked.stderr, f"promtool: {checked.stdout}{checked.stderr}")
    return text


def prometheus(trireme, run):
    with Page(trireme, run) as page:
        text = metrics(page)
    for path in glob.glob(os.path.join(run, "samples", "worker-*.csv")):
        names, samples = samples_of(path)
        line = f'trireme_examples_total{{task="{task_of(path)}"}} '
        value = next(float(one[len(line) :]) for one in text.splitlines() if one.startswith(line))
        require(value == float(samples[-1][names.index("training:examples")]), f"{line}{value}")
    return f"{len(text.splitlines())} lines"


def run(report, trireme, folder):
    def path(name):
        return os.path.join(folder, name)

    with Browser() as browser:
        report.check("the live page of a run that has ended", lambda: ended(trireme, browser, path("ended")))
        report.check("the live page of a run that goes on, until it ends", lambda: running(trireme, browser, path("running")))
        report.check("the live page of 64 tasks", lambda: many(trireme, browser, path("many")))
        report.check("the live page in light and dark", lambda: themes(trireme, browser, path("ended")))
        report.check("the live page by keyboard, and names for screen readers", lambda: keyboard(trireme, browser, path("many")))
    report.check("metrics, as Prometheus checks them", lambda: prometheus(trireme, path("many")))
