// charts.js: a chart with its legend and its table. uPlot draws; this file aligns series that were sampled at different moments, chooses
// colours, and tells screen readers what is to be seen.
import { make, swatch, table } from "./dom.js";
import { clock, count, isNumber } from "./format.js";

const HEIGHT = 190,
    FEW = 10,
    ROWS = 60;
const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400, 172800, 604800]; // between two ticks

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// One list of moments for all series, with null where a series has nothing. Moments closer than `grain` are one.
const align = (series, grain) => {
    const at = (x) => (grain ? Math.round(x / grain) * grain : x);
    const moments = [...new Set(series.flatMap((one) => one.x.map(at)))].sort((a, b) => a - b);
    const place = new Map(moments.map((moment, i) => [moment, i]));
    const columns = series.map((one) => {
        const column = new Array(moments.length).fill(null);
        one.x.forEach((x, i) => {
            if (isNumber(one.y[i])) column[place.get(at(x))] = one.y[i];
        });
        return column;
    });
    return [moments, ...columns];
};

// Each series on top of those before it. What is drawn is the sum so far, what is told is the part.
const stack = (columns) => {
    const sums = new Array(columns[0].length).fill(0);
    return [columns[0], ...columns.slice(1).map((column) => column.map((value, i) => (value === null ? null : (sums[i] += value))))];
};

const lastOf = (column) => column.findLast((value) => value !== null);

export class Chart {
    // format: of values. options: stacked; fixed, the range of y; unit, a word behind the title.
    constructor(parent, title, format, options = {}) {
        Object.assign(this, {
            title,
            format,
            options,
            series: [],
            axis: "time",
            marks: [],
            at: null,
            focused: null,
            zoomed: false,
            all: false,
        });
        this.plot = make("div", { class: "plot", role: "img" });
        this.legend = make("ul", { class: "legend", "aria-hidden": "true" });
        this.data = make("div", { class: "data", hidden: true, tabindex: "0", role: "region", "aria-label": `Table of ${title}` });
        this.button = make(
            "button",
            { type: "button", "aria-expanded": "false", "aria-label": `Table of ${title}`, onclick: () => this.toggle() },
            "Table",
        );
        this.empty = make("p", { class: "empty" }, options.empty ?? "nothing yet");
        const head = make(
            "div",
            { class: "head" },
            make("h3", {}, title, options.unit ? make("span", { class: "unit" }, `, ${options.unit}`) : null),
            this.button,
        );
        this.figure = make("figure", { class: "card", "data-chart": title, "aria-label": title }, head, this.plot, this.empty, this.legend, this.data);
        parent.append(this.figure);
        new ResizeObserver(() => this.resize()).observe(this.plot);
        addEventListener("themechange", () => this.rebuild());
    }

    // series: [{ name, x, y, number, colour, state, points }], number: which colour of the palette it has. grain: moments that are
    // closer than this are one. axis: "time" or "step".
    update(series, { grain = 0, axis = "time", marks = [], selected = null } = {}) {
        series = this.in_order(
            series.filter((one) => one.y.some(isNumber)),
            selected,
        );
        const names = (list) => list.map((one) => one.name + one.state).join();
        const changed = names(series) !== names(this.series) || axis !== this.axis || selected !== this.selected;
        Object.assign(this, { series, axis, marks, selected });
        this.columns = align(series, axis === "time" ? grain : 0);
        this.empty.hidden = series.length > 0;
        this.plot.hidden = series.length === 0;
        if (changed || !this.chart) this.rebuild();
        else this.chart.setData(this.drawn(), !this.zoomed);
        this.tell();
    }

    // Of many, those that want attention are drawn last, over the others.
    in_order(series, selected) {
        const above = (one) => one.name === selected || one.state === "slow" || one.state === "silent";
        return series.length > FEW ? [...series].sort((a, b) => above(a) - above(b)) : series;
    }

    drawn() {
        return this.options.stacked ? stack(this.columns) : this.columns;
    }

    // With many series, only those that want attention have colours of their own.
    colour(i) {
        const one = this.series[i],
            palette = css("--series").split(" ");
        if (one.colour) return css(one.colour);
        if (this.selected === one.name) return css("--accent");
        if (one.state === "slow") return css("--warn");
        if (one.state === "silent") return css("--bad");
        return this.series.length > FEW ? css("--many") : palette[(one.number ?? i) % palette.length];
    }

    stands_out(i) {
        const one = this.series[i];
        return this.series.length <= FEW || one.name === this.selected || one.state === "slow" || one.state === "silent";
    }

    line(one, i) {
        const colour = this.colour(i),
            many = this.series.length > FEW;
        return {
            label: one.name,
            stroke: colour,
            width: many ? (this.stands_out(i) ? 2.2 : 1) : 1.8,
            alpha: many && !this.stands_out(i) ? 0.55 : 1,
            spanGaps: true,
            fill: this.options.stacked ? colour : undefined,
            points: { show: Boolean(one.points) || one.x.length < 3, size: 6, fill: colour },
        };
    }

    scales() {
        const range =
            this.options.fixed ??
            ((_, low, high) => {
                if (!isNumber(low) || (low === 0 && high === 0)) return [0, 1];
                const from = this.options.zero === false ? low : Math.min(0, low),
                    room = (high - from || Math.abs(high) || 1) * 0.08;
                return [from === 0 ? 0 : from - room, high + room];
            });
        return { x: { time: this.axis === "time" }, y: { range } };
    }

    axes() {
        const common = {
            stroke: css("--soft"),
            grid: { stroke: css("--grid"), width: 1 },
            ticks: { stroke: css("--grid"), width: 1, size: 4 },
            font: "11px system-ui, sans-serif",
        };
        const steps = this.axis === "step" ? { values: (_, values) => values.map((value) => count(value)) } : {};
        const times = this.axis === "time" ? { values: (_, values) => values.map((value) => clock(value)), space: 80, incrs: SECONDS } : {};
        return [
            { ...common, ...steps, ...times, size: 28 },
            { ...common, size: 64, values: (_, values) => values.map((value) => this.format(value)) },
        ];
    }

    rebuild() {
        this.chart?.destroy();
        this.chart = null;
        if (!this.series.length) return;
        const bands = this.options.stacked ? this.series.slice(1).map((_, i) => ({ series: [i + 2, i + 1] })) : [];
        this.chart = new uPlot(
            {
                width: this.plot.clientWidth || 400,
                height: HEIGHT,
                legend: { show: false },
                bands,
                scales: this.scales(),
                axes: this.axes(),
                series: [{}, ...this.series.map((one, i) => this.line(one, i))],
                focus: { alpha: 0.3 },
                cursor: { focus: { prox: 24 }, sync: { key: this.axis, setSeries: false }, points: { size: 6 } },
                hooks: {
                    setCursor: [(chart) => this.point(chart.cursor.idx)],
                    setSeries: [(_, i) => this.focus(i)],
                    draw: [(chart) => this.draw_marks(chart)],
                    setSelect: [(chart) => (this.zoomed ||= chart.select.width > 0)],
                },
            },
            this.drawn(),
            this.plot,
        );
        this.chart.over.addEventListener("dblclick", () => (this.zoomed = false));
    }

    resize() {
        if (this.chart && this.plot.clientWidth) this.chart.setSize({ width: this.plot.clientWidth, height: HEIGHT });
    }

    point(i) {
        this.at = i ?? null;
        this.tell_legend();
    }

    focus(i) {
        this.focused = i ? i - 1 : null;
        this.tell_legend();
    }

    // Those that are in sight. What happened to a task is always drawn; what comes again and again, only while there is room for it.
    draw_marks({ ctx, bbox, valToPos }) {
        if (this.axis !== "time") return;
        const colours = { death: "--bad", straggler: "--warn", restart: "--warn", join: "--good" };
        const x_of = (mark) => Math.round(valToPos(mark.wall, "x", true));
        const seen = this.marks.filter((mark) => x_of(mark) >= bbox.left && x_of(mark) <= bbox.left + bbox.width);
        const most = bbox.width / devicePixelRatio / 14,
            counts = {};
        for (const { kind } of seen) counts[kind] = (counts[kind] ?? 0) + 1;
        ctx.save();
        ctx.lineWidth = devicePixelRatio;
        ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
        for (const mark of seen.filter(({ kind }) => colours[kind] || counts[kind] <= most)) {
            const x = x_of(mark);
            ctx.strokeStyle = css(colours[mark.kind] ?? "--mark");
            ctx.beginPath();
            ctx.moveTo(x, bbox.top);
            ctx.lineTo(x, bbox.top + bbox.height);
            ctx.stroke();
        }
        ctx.restore();
    }

    // ---- words ----

    value(i) {
        const column = this.columns[i + 1];
        return this.at === null ? lastOf(column) : (column[this.at] ?? null);
    }

    tell() {
        this.tell_legend();
        const spoken = this.series.slice(0, FEW).map((one, i) => `${one.name} ${this.format(lastOf(this.columns[i + 1]))}`);
        const rest = this.series.length > FEW ? `, and ${this.series.length - FEW} more; the table has all` : "";
        this.plot.setAttribute("aria-label", `${this.title}: ${spoken.join(", ") || "nothing yet"}${rest}`);
        if (!this.data.hidden) this.tell_table();
    }

    entry(i) {
        return make("li", {}, swatch(this.colour(i)), this.series[i].name, " ", make("b", {}, this.format(this.value(i))));
    }

    // Of many series: how they lie, and by name those at both ends and those that want attention.
    entries() {
        const all = this.series.map((_, i) => i);
        if (all.length <= FEW) return all.map((i) => this.entry(i));
        const ranked = all.filter((i) => isNumber(this.value(i))).sort((i, k) => this.value(i) - this.value(k));
        if (!ranked.length) return [];
        const named = new Set([
            ranked[0],
            ranked.at(-1),
            ...all.filter((i) => this.stands_out(i)).slice(0, FEW),
            ...(this.focused === null ? [] : [this.focused]),
        ]);
        const median = make(
            "li",
            {},
            swatch(css("--many")),
            `median of ${all.length} `,
            make("b", {}, this.format(this.value(ranked[Math.floor(ranked.length / 2)]))),
        );
        return [median, ...[...named].map((i) => this.entry(i))];
    }

    tell_legend() {
        if (!this.series.length) return this.legend.replaceChildren();
        const moment =
            this.at === null ? [] : [make("li", {}, this.moment(this.columns[0][this.at])), ...this.near(this.columns[0][this.at])];
        this.legend.replaceChildren(...moment, ...this.entries());
    }

    // The marks within a few pixels of a moment.
    near(x) {
        if (this.axis !== "time") return [];
        const reach = 5 * (this.chart.posToVal(1, "x") - this.chart.posToVal(0, "x"));
        return this.marks
            .filter((mark) => Math.abs(mark.wall - x) <= reach)
            .slice(-3)
            .map((mark) => make("li", {}, `${mark.kind} of ${mark.task}`));
    }

    moment(x) {
        return this.axis === "time" ? clock(x) : `step ${count(x)}`;
    }

    toggle() {
        this.data.hidden = !this.data.hidden;
        this.button.setAttribute("aria-expanded", String(!this.data.hidden));
        if (!this.data.hidden) this.tell_table();
    }

    // Newest first, with the columns in the order of the tasks.
    tell_table() {
        const moments = this.columns[0],
            most = this.all ? moments.length : ROWS;
        const shown = this.series.map((one, i) => [one, this.columns[i + 1]]).sort(([a], [b]) => (a.number ?? 0) - (b.number ?? 0));
        const row = (x, i) => [this.moment(x), ...shown.map(([, column]) => (column[i] === null ? "" : this.format(column[i])))];
        const more = make(
            "button",
            {
                type: "button",
                hidden: moments.length <= most,
                onclick: () => {
                    this.all = true;
                    this.tell_table();
                },
            },
            `Show all ${moments.length} rows`,
        );
        this.data.replaceChildren(table([this.axis, ...shown.map(([one]) => one.name)], moments.map(row).reverse().slice(0, most)), more);
    }
}
