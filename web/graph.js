// graph.js: the model's layers as a drawing and as a table. What a layer is made of ("conv1/weight", "conv1/convolution", "conv1") is one
// box, with the shapes of its parameters and of its output.
import { make, svg, table } from "./dom.js";
import { count, shape } from "./format.js";

const WIDTH = 330,
    HEIGHT = 46,
    GAP = 26,
    SIDE = 34,
    DRAWN = 150;
const group = (name) => name.split("/")[0];
const size = (dimensions) => (dimensions ?? []).reduce((product, dimension) => product * dimension, 1);

// Layers in the graph's order: { name, operators, parameters, inputs, shape, kind }.
export const layersOf = (nodes) => {
    const layers = new Map();
    for (const node of nodes.filter((one) => one.name)) {
        const name = group(node.name);
        if (!layers.has(name)) layers.set(name, { name, operators: [], parameters: [], inputs: new Set(), kind: "layer" });
        const layer = layers.get(name);
        if (node.operator === "parameter" || node.operator === "table")
            layer.parameters.push({ name: node.name.split("/").slice(1).join("/") || node.name, shape: node.shape });
        else layer.operators.push(node.operator);
        layer.shape = node.shape;
        if (node.operator === "input") layer.kind = "input";
        if (node.operator.includes("loss")) layer.kind = "loss";
        node.inputs
            .map(group)
            .filter((input) => input !== name)
            .forEach((input) => layer.inputs.add(input));
    }
    return [...layers.values()];
};

// An input that stands beside other layers is as wide as its words, so that a row of them fits.
const widthOf = (layer, index) =>
    layer.kind === "input" && index > 0 ? Math.min(WIDTH, 44 + 8 * layer.name.length + 7 * shape(layer.shape).length) : WIDTH;

// Rows by the longest way from an input; those of one row stand side by side.
const place = (layers) => {
    const by = new Map(layers.map((layer) => [layer.name, layer]));
    const rows = [];
    for (const layer of layers) {
        layer.row = Math.max(-1, ...[...layer.inputs].map((input) => by.get(input)?.row ?? -1)) + 1;
    }
    for (const layer of layers) {
        if (layer.kind === "input" && layer.inputs.size === 0) {
            const users = layers.filter((other) => other.inputs.has(layer.name));
            if (users.length) layer.row = Math.max(0, Math.min(...users.map((user) => user.row)) - 1);
        }
        (rows[layer.row] ??= []).push(layer);
    }
    let width = 0;
    rows.forEach((row, i) => {
        let x = 0;
        row?.sort((a, b) => (a.kind === "input" && i > 0) - (b.kind === "input" && i > 0)).forEach((layer, k) => {
            layer.x = x;
            layer.y = i * (HEIGHT + GAP);
            layer.width = widthOf(layer, k);
            width = Math.max(width, x + layer.width);
            x += layer.width + SIDE;
        });
    });
    return { by, width, height: rows.length * (HEIGHT + GAP) - GAP };
};

const box = (layer) => {
    const weights = layer.parameters.map((parameter) => `${parameter.name} ${shape(parameter.shape)}`).join(", ");
    const operators = [...new Set(layer.operators)].join(" + ") || "parameter";
    return svg(
        "g",
        { class: "node", "data-kind": layer.kind, transform: `translate(${layer.x},${layer.y})` },
        svg("title", {}, `${layer.name}: ${operators}, output ${shape(layer.shape)}${weights ? `, ${weights}` : ""}`),
        svg("rect", { width: layer.width, height: HEIGHT, rx: 8 }),
        svg("text", { class: "name", x: 12, y: 19 }, layer.name),
        svg("text", { class: "shape", x: layer.width - 12, y: 19 }, shape(layer.shape)),
        svg("text", { class: "operator", x: 12, y: 36 }, weights ? `${operators} · ${weights}` : operators),
    );
};

// Straight to the row below; around the boxes between to a farther one.
const edge = (from, to) => {
    const x = from.x + from.width / 2,
        y = from.y + HEIGHT,
        u = to.x + to.width / 2,
        v = to.y - 5;
    const bend = to.row - from.row > 1 ? WIDTH / 2 + 24 : 0,
        middle = (y + v) / 2;
    const path = bend
        ? `M${x} ${y}C${x + bend} ${y + GAP} ${u + bend} ${v - GAP} ${u} ${v}`
        : `M${x} ${y}C${x} ${middle} ${u} ${middle} ${u} ${v}`;
    return svg("path", { class: "edge", d: path, "marker-end": "url(#arrow)" });
};

export const drawGraph = (nodes) => {
    const layers = layersOf(nodes);
    if (!layers.length || layers.length > DRAWN) return make("p", { class: "empty" }, `${layers.length} layers: see the table`);
    const { by, width, height } = place(layers);
    const edges = layers.flatMap((layer) => [...layer.inputs].filter((input) => by.has(input)).map((input) => edge(by.get(input), layer)));
    const arrow = svg(
        "defs",
        {},
        svg(
            "marker",
            { id: "arrow", viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
            svg("path", { class: "arrow", d: "M0 0L8 4L0 8z" }),
        ),
    );
    return svg(
        "svg",
        {
            width: width + 4,
            height: height + 4,
            viewBox: `-2 -2 ${width + 4} ${height + 4}`,
            role: "img",
            "aria-label": `${layers.length} layers; the table lists them`,
        },
        arrow,
        ...edges,
        ...layers.map(box),
    );
};

export const graphTable = (nodes) =>
    table(
        ["layer", "operators", "inputs", "parameters", "values", "output"],
        layersOf(nodes).map((layer) => [
            layer.name,
            [...new Set(layer.operators)].join(" + "),
            [...layer.inputs].join(", "),
            layer.parameters.map((parameter) => `${parameter.name} ${shape(parameter.shape)}`).join(", "),
            layer.parameters.length ? count(layer.parameters.reduce((sum, parameter) => sum + size(parameter.shape), 0)) : "",
            shape(layer.shape),
        ]),
    );

export const parametersOf = (nodes) =>
    nodes.filter((node) => node.operator === "parameter").reduce((sum, node) => sum + size(node.shape), 0);
