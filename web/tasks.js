// tasks.js: the table of tasks: sorted by whichever column, with their phases as a bar. The name of a task selects it, here and in all
// charts.
import { $, make, setText, swatch } from "./dom.js";
import { bytes, count, isNumber, loss, percent, rate } from "./format.js";

export const PHASES = ["input", "compute", "send", "server", "peers", "update", "other"];

const MEANINGS = {
    input: "waiting for the next batch",
    compute: "forward and backward",
    send: "handing gradients to the network",
    server: "waiting for parameter servers",
    peers: "waiting for other workers",
    update: "applying the rule",
    other: "all else",
};

// A supervisor has no number, and no connections.
export const talks = (task) => task.task.includes(":");

const only = (condition, value) => (condition ? value : null);

// value: of a task and its figures (run.js).
const COLUMNS = [
    { name: "task", text: true, value: (task) => task.task },
    { name: "host", text: true, value: (task) => task.host },
    { name: "state", text: true, value: (task) => task.state },
    { name: "step", value: (_, last) => only(last.step > 0, last.step), format: count },
    { name: "examples/s", value: (task, last) => only(last.examples > 0 && task.state !== "silent", last.speed), format: count },
    { name: "loss", value: (_, last) => last.loss, format: loss },
    { name: "cpu", value: (_, last) => last.cpu, format: percent },
    { name: "memory", value: (_, last) => last.resident, format: bytes },
    { name: "sent", value: (task, last) => only(talks(task), last.sent), format: rate },
    { name: "received", value: (task, last) => only(talks(task), last.received), format: rate },
    { name: "phases", text: true, value: (_, last) => last.compute },
];

// The workers that were behind the others over the whole run: below the share at which a running one is called slow.
const SLOW = 0.7;
export const lagging = (run) => Object.entries(run.pace).filter(([, pace]) => pace < SLOW);

const bar = (last) => {
    const parts = PHASES.filter((phase) => last[phase] > 0);
    if (!parts.length) return "";
    const words = parts.map((phase) => `${phase} ${(100 * last[phase]).toFixed(0)} %`).join(", ");
    const pieces = parts.map((phase) => {
        const piece = make("i", {});
        piece.style.width = `${100 * last[phase]}%`;
        piece.style.background = `var(--${phase})`;
        return piece;
    });
    return make("span", { class: "phases", role: "img", "aria-label": words, title: words }, ...pieces);
};

export class Tasks {
    sorted = { column: null, descending: false };
    selected = null;

    constructor(onselect) {
        this.onselect = onselect;
        this.rows = new Map();
        $("tasks").tHead.append(
            make(
                "tr",
                {},
                ...COLUMNS.map((column) =>
                    make(
                        "th",
                        { scope: "col", class: column.text ? "text" : null },
                        make("button", { type: "button", onclick: () => this.sort(column) }, column.name),
                    ),
                ),
            ),
        );
        $("phase-legend").append(
            ...PHASES.map((phase) => make("li", { title: MEANINGS[phase] }, swatch(`var(--${phase})`), `${phase}: ${MEANINGS[phase]}`)),
        );
    }

    sort(column) {
        const again = this.sorted.column === column;
        this.sorted = again && this.sorted.descending ? { column: null, descending: false } : { column, descending: again };
        [...$("tasks").tHead.rows[0].cells].forEach((cell, i) => {
            if (COLUMNS[i] === this.sorted.column) cell.setAttribute("aria-sort", this.sorted.descending ? "descending" : "ascending");
            else cell.removeAttribute("aria-sort");
        });
        this.update(this.run);
    }

    order(tasks) {
        const { column, descending } = this.sorted;
        if (!column) return tasks;
        const rank = (a, b) => {
            const [x, y] = [a, b].map((task) => column.value(task, this.run.figures(task)));
            if (column.text && typeof x === "string") return x.localeCompare(y, "en", { numeric: true });
            return (isNumber(x) ? x : -Infinity) - (isNumber(y) ? y : -Infinity);
        };
        return [...tasks].sort((a, b) => (descending ? -rank(a, b) : rank(a, b)));
    }

    // A row is made once and then changed, so that the keyboard's focus stays where it is.
    row(task) {
        if (this.rows.has(task.task)) return this.rows.get(task.task);
        const name = make(
            "button",
            {
                type: "button",
                class: "task",
                "aria-pressed": "false",
                title: "show it in all charts",
                onclick: () => this.select(task.task),
            },
            task.task,
        );
        const row = make(
            "tr",
            { "data-task": task.task },
            make("th", { scope: "row" }, name),
            ...COLUMNS.slice(1).map((column) => make("td", { class: column.text ? "text" : null, "data-column": column.name })),
        );
        this.rows.set(task.task, row);
        return row;
    }

    fill(row, task) {
        const last = this.run.figures(task);
        COLUMNS.forEach((column, i) => {
            const cell = row.cells[i],
                value = column.value(task, last);
            if (i === 0) return;
            if (column.name === "state") {
                if (cell.firstChild?.dataset?.state !== value)
                    cell.replaceChildren(make("span", { class: "state", "data-state": value }, value));
            } else if (column.name === "phases") cell.replaceChildren(bar(last));
            else {
                setText(cell, column.text ? value : isNumber(value) ? column.format(value) : "");
                if (isNumber(value)) cell.dataset.value = value;
                else delete cell.dataset.value;
            }
        });
        row.dataset.selected = String(this.selected === task.task);
        row.querySelector("button").setAttribute("aria-pressed", row.dataset.selected);
    }

    select(name) {
        this.selected = this.selected === name ? null : name;
        this.onselect();
    }

    update(run) {
        this.run = run;
        const body = $("tasks").tBodies[0],
            ordered = this.order(run.tasks).map((task) => this.row(task));
        run.tasks.forEach((task) => this.fill(this.row(task), task));
        if (ordered.length !== body.rows.length || ordered.some((row, i) => body.rows[i] !== row)) {
            const focus = document.activeElement;
            body.replaceChildren(...ordered);
            if (body.contains(focus)) focus.focus();
        }
        this.note(run);
    }

    note(run) {
        const named = (state) => run.tasks.filter((task) => task.state === state).map((task) => task.task);
        const lagged = run.running
            ? []
            : lagging(run).map(([name, pace]) => `${name} made ${pace.toFixed(2)} of the median worker’s speed`);
        const words = ["slow", "silent"].filter((state) => named(state).length).map((state) => `${state}: ${named(state).join(", ")}`);
        const what = `${run.tasks.length} ${run.tasks.length === 1 ? "task" : "tasks"}`;
        const how = run.is_summed ? "means of the run, and its most memory" : "by their last samples";
        setText($("tasks-note"), [`${what}, ${how}`, ...words, ...lagged].join(" · "));
    }
}
