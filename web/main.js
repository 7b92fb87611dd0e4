// main.js: hears the server's events and draws the run after each.
import { Chart } from "./charts.js";
import { $, make, setText } from "./dom.js";
import { bytes, clock, count, duration, isNumber, loss, percent, rate, share } from "./format.js";
import { drawGraph, graphTable, parametersOf } from "./graph.js";
import { Run } from "./run.js";
import { lagging, PHASES, talks, Tasks } from "./tasks.js";

const run = new Run();
let drawn_marks = null;
let behind = new Set(); // the workers that lagged in a run that has ended
const tasks = new Tasks(() => draw());
const charts = {
    loss: new Chart($("learning"), "Loss", loss, { zero: false }),
    accuracy: new Chart($("learning"), "Accuracy", share, { zero: false, empty: "no evaluation yet" }),
    phases: new Chart($("work"), "Phases", (value) => percent(100 * value), { stacked: true, fixed: [0, 1], empty: "no worker has begun" }),
    speed: new Chart($("work"), "Speed", count, { unit: "examples a second" }),
    cpu: new Chart($("resources"), "CPU", percent, { unit: "100 % is one CPU" }),
    memory: new Chart($("resources"), "Memory", bytes, { unit: "resident" }),
    sent: new Chart($("resources"), "Sent", rate, { unit: "as the task counts" }),
    received: new Chart($("resources"), "Received", rate, { unit: "as the task counts" }),
    host_cpu: new Chart($("hosts"), "Host CPU", percent, { unit: "100 % is all of its CPUs", fixed: [0, 100] }),
    host_memory: new Chart($("hosts"), "Host memory", bytes, { unit: "in use" }),
    host_read: new Chart($("hosts"), "Host disks, read", rate),
    host_sent: new Chart($("hosts"), "Host sent", rate, { unit: "loopback left out" }),
    host_received: new Chart($("hosts"), "Host received", rate, { unit: "loopback left out" }),
    host_written: new Chart($("hosts"), "Host disks, written", rate),
};

// ---- series ----

const grain = () => Math.max(0.05, ...run.tasks.map((task) => task.every * task.stride));
const axis = () => document.querySelector("input[name=axis]:checked").value;
const timed = () => ({ grain: grain(), marks: run.marks, selected: tasks.selected });
const named = (task) => ({ name: task.task, number: run.tasks.indexOf(task), state: behind.has(task.task) ? "slow" : task.state });
const of_task = (list, field) => list.map((task) => ({ ...named(task), x: task.points.wall, y: task.points[field] }));
const of_host = (field) => run.tellers.map((task) => ({ name: task.host, x: task.points.wall, y: field(task.host_points) }));
const sum = (a, b) => a.map((value, i) => value + b[i]);

// Event files have the mean of every so many steps; where a task writes none, its samples may have the number of late.
const along = () => (axis() === "step" ? "step" : "wall");
const training = (tag, field) => {
    const told = run.curve(tag);
    return run.workers.flatMap((task) => {
        const curve = told.find((one) => one.task === task.task);
        if (curve) return [{ ...named(task), x: curve[along()], y: curve.value }];
        return field ? [{ ...named(task), x: task.points[along()], y: task.points[field] }] : [];
    });
};
// Those of the run: with parameter servers each worker tells, too, how good its own last parameters were.
const evaluations = (tags) =>
    tags.flatMap((tag) => {
        const all = run.curve(tag),
            leading = all.filter((curve) => !curve.task.startsWith("worker:"));
        return (leading.length ? leading : all).map((curve) => ({
            name: tag === "test/loss" || tag === "test/accuracy" ? "evaluation" : tag,
            points: true,
            colour: tag.startsWith("test/") && tag !== "test/auc" ? "--text" : null,
            x: curve[along()],
            y: curve.value,
        }));
    });

// The mean over workers of each moment's shares.
const phases = () => {
    const chosen = $("phase-task").value,
        list = run.workers.filter((task) => !chosen || task.task === chosen),
        step = grain();
    const sums = new Map();
    for (const { points } of list) {
        points.wall.forEach((wall, i) => {
            if (!isNumber(points.compute[i])) return;
            const at = Math.round(wall / step) * step,
                sum = sums.get(at) ?? { count: 0, of: PHASES.map(() => 0) };
            sum.count++;
            PHASES.forEach((phase, k) => (sum.of[k] += points[phase][i]));
            sums.set(at, sum);
        });
    }
    const moments = [...sums.keys()].sort((a, b) => a - b);
    return PHASES.map((phase, k) => ({
        name: phase,
        colour: `--${phase}`,
        x: moments,
        y: moments.map((at) => sums.get(at).of[k] / sums.get(at).count),
    }));
};

const draw_charts = () => {
    behind = new Set(run.running ? [] : lagging(run).map(([name]) => name));
    const learning = { ...timed(), axis: axis(), grain: 0 };
    charts.loss.update([...training("train/loss", "loss"), ...evaluations(["test/loss"])], learning);
    charts.accuracy.update(
        [...training("train/accuracy"), ...evaluations(["test/accuracy", "test/auc", "train/progressive_accuracy"])],
        learning,
    );
    charts.phases.update(phases(), timed());
    charts.speed.update(of_task(run.workers, "speed"), timed());
    charts.cpu.update(of_task(run.tasks, "cpu"), timed());
    charts.memory.update(of_task(run.tasks, "resident"), timed());
    charts.sent.update(of_task(run.tasks.filter(talks), "sent"), timed());
    charts.received.update(of_task(run.tasks.filter(talks), "received"), timed());
    charts.host_cpu.update(
        of_host((points) => sum(points.user, points.system)),
        timed(),
    );
    charts.host_memory.update(
        of_host((points) => points.used),
        timed(),
    );
    for (const field of ["sent", "received", "read", "written"])
        charts[`host_${field}`].update(
            of_host((points) => points[field]),
            timed(),
        );
};

// ---- words ----

const total = (field) => run.workers.filter((task) => task.state !== "silent").reduce((all, task) => all + (task.last[field] ?? 0), 0);
const mean_loss = () => {
    const values = run.workers.map((task) => task.last.loss).filter(isNumber);
    return values.length ? values.reduce((a, b) => a + b) / values.length : null;
};

const draw_glance = () => {
    const summary = run.running ? null : run.summary;
    const tiles = [
        ["step", summary?.steps ?? Math.max(...run.tasks.map((task) => task.last.step ?? 0)), count],
        ["examples/s", summary?.examples_per_second ?? total("speed"), count],
        ["training loss", summary?.train_loss ?? mean_loss(), loss],
        ["test accuracy", summary?.test_accuracy ?? run.latest("test/accuracy"), share],
        [summary ? "training time" : "time", summary?.seconds ?? (run.running ? run.time : run.newest) - run.started, duration],
        summary
            ? ["most memory of a task", 1e6 * summary.peak_rss_mb, bytes]
            : ["memory of all tasks", run.tasks.reduce((all, task) => all + (task.last.resident ?? 0), 0), bytes],
    ];
    $("glance").replaceChildren(
        ...tiles.map(([name, value, format]) =>
            make(
                "div",
                {},
                make("dt", {}, name),
                make("dd", { "data-figure": name, "data-value": isNumber(value) ? value : null }, format(value)),
            ),
        ),
    );
};

// While it runs: the phase that takes most of the workers' time of late.
const so_far = () => {
    const shares = PHASES.map((phase) => {
        const values = run.workers.flatMap((task) => (task.points[phase] ?? []).slice(-30)).filter(isNumber);
        return [values.length ? values.reduce((a, b) => a + b) / values.length : 0, phase];
    }).sort((a, b) => b[0] - a[0]);
    const [first, second] = shares.map(([part, phase]) => `${percent(100 * part)} of their time in ${phase}`);
    return shares[0][0] > 0 ? `Of late, workers ${run.running ? "spend" : "spent"} ${first}, ${second}.` : "";
};

// An option is one word: no line ends after its dashes.
const draw_sentence = (parent, text) => {
    if (parent.textContent === text) return;
    const pieces = text.split(/(--[a-z-]+)/);
    parent.replaceChildren(...pieces.map((piece, i) => (i % 2 ? make("span", { class: "option" }, piece) : piece)));
};

const draw_verdict = () => {
    const text = run.verdict ?? run.summary?.verdict ?? so_far();
    $("verdict").hidden = !text;
    setText($("verdict-title"), run.running ? "So far" : run.summary ? "Verdict" : "At its end");
    draw_sentence($("verdict-text"), text ?? "");
};

const draw_state = () => {
    const state = run.running ? "running" : "ended";
    $("state").dataset.state = state;
    setText($("state"), run.running ? "running" : run.summary?.stopped_by ? `ended: ${run.summary.stopped_by}` : "ended");
    const name = run.folder.replace(/\/+$/, "").split("/").pop(),
        summary = run.summary;
    setText($("name"), name);
    document.title = `${name} · Trireme`;
    const words = summary
        ? [
              `${summary.model} on ${summary.data}`,
              [summary.strategy, summary.mode].filter(Boolean).join(" "),
              `${summary.workers} ${summary.workers === 1 ? "worker" : "workers"}`,
          ]
        : [run.command?.trim() ?? ""];
    setText($("what"), words.join(" · "));
    setText($("folder"), run.folder);
};

const FACTS = [
    ["model"],
    ["data"],
    ["strategy"],
    ["mode"],
    ["workers", count],
    ["servers", count],
    ["batch", count],
    ["threads", count],
    ["seed", String],
    ["steps", count],
    ["examples", count],
    ["epochs", (value) => String(Number(value.toFixed(3)))],
    ["seconds", duration],
    ["total_seconds", duration],
    ["train_loss", loss],
    ["test_loss", loss],
    ["test_accuracy", share],
    ["peak_rss_mb", (value) => bytes(1e6 * value)],
    ["bytes_sent", bytes],
    ["bytes_received", bytes],
    ["dropped_stale", count],
    ["stopped_by"],
];

const draw_facts = () => {
    const rows = FACTS.filter(([key]) => run.summary?.[key] != null).map(([key, format = String]) => [
        key.replaceAll("_", " ").replace("rss mb", "memory"),
        format(run.summary[key]),
    ]);
    if (run.graph.length) rows.push(["parameters", count(parametersOf(run.graph))]);
    rows.push(["hosts", run.tellers.map((task) => task.host).join(", ")]);
    if (run.command) rows.push(["to repeat it", make("code", {}, run.command.trim())]);
    $("facts").replaceChildren(...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
};

const draw_graph = () => {
    $("graph-section").hidden = !run.graph.length;
    if (!run.graph.length) return;
    $("graph").replaceChildren(drawGraph(run.graph));
    $("graph-table").replaceChildren(graphTable(run.graph));
};

const draw_marks = () => {
    if (drawn_marks === run.marks) return;
    drawn_marks = run.marks;
    $("marks-section").hidden = !run.marks.length;
    setText($("marks-note"), run.marks_before ? `the newest ${run.marks.length} of ${count(run.marks.length + run.marks_before)}` : "");
    $("marks").tBodies[0].replaceChildren(
        ...[...run.marks]
            .reverse()
            .map((mark) =>
                make(
                    "tr",
                    { "data-mark": mark.kind },
                    make("td", {}, clock(mark.wall)),
                    make("td", { class: "text" }, mark.kind),
                    make("td", { class: "text" }, mark.task),
                    make("td", {}, isNumber(mark.step) ? count(mark.step) : ""),
                    make("td", {}, mark.seconds > 0 ? duration(mark.seconds) : ""),
                    make("td", { class: "text" }, mark.note),
                ),
            ),
    );
};

// Both ends of a connection count its bytes. A server's count is shown only where the other end is a server, too.
const is_server = (task) => task.startsWith("ps:");
const draw_peers = () => {
    const pairs = (run.summary?.task_stats ?? [])
        .flatMap(({ task, peers = [] }) => peers.map((peer) => ({ task, ...peer })))
        .filter(({ task, peer }) => !is_server(task) || is_server(peer))
        .sort((a, b) => b.bytes_sent + b.bytes_received - a.bytes_sent - a.bytes_received);
    $("peers-section").hidden = !pairs.length;
    $("peers").tBodies[0].replaceChildren(
        ...pairs.map((pair) =>
            make(
                "tr",
                {},
                make("td", {}, pair.task),
                make("td", { class: "text" }, pair.peer),
                make("td", { "data-value": pair.bytes_sent }, bytes(pair.bytes_sent)),
                make("td", { "data-value": pair.bytes_received }, bytes(pair.bytes_received)),
            ),
        ),
    );
};

const draw_choices = () => {
    const chosen = $("phase-task").value;
    $("phase-task").replaceChildren(
        make("option", { value: "" }, "all workers"),
        ...run.workers.map((task) => make("option", { value: task.task }, task.task)),
    );
    $("phase-task").value = run.workers.some((task) => task.task === chosen) ? chosen : "";
};

const draw = () => {
    if (!run.tasks.length) return;
    draw_state();
    draw_verdict();
    draw_glance();
    tasks.update(run);
    draw_marks();
    draw_charts();
};

// ---- events ----

const source = new EventSource("events");
source.addEventListener("whole", (event) => {
    run.whole(JSON.parse(event.data));
    draw_choices();
    draw_facts();
    draw_peers();
    draw_graph();
    draw();
    document.body.dataset.drawn = "true";
});
source.addEventListener("added", (event) => {
    const state = JSON.parse(event.data);
    if (!run.changes(state)) return;
    run.added(state);
    draw();
});
source.onerror = () => {
    $("state").dataset.state = "lost";
    setText($("state"), "connection lost");
};

for (const choice of document.querySelectorAll("input[name=axis]")) choice.addEventListener("change", draw);
$("phase-task").addEventListener("change", draw);
$("graph-switch").addEventListener("click", () => {
    $("graph-table").hidden = !$("graph-table").hidden;
    $("graph-switch").setAttribute("aria-expanded", String(!$("graph-table").hidden));
});
