// dom.js: elements in one line each. Text goes in as text, never as HTML: names come from files that others wrote.
export const $ = (id) => document.getElementById(id);

const fill = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (value === true) element.setAttribute(name, "");
        else if (value !== false && value != null) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child != null));
    return element;
};
export const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

export const swatch = (colour) => {
    const element = make("span", { class: "swatch", "aria-hidden": "true" });
    element.style.background = colour;
    return element;
};

// Write a text only where it differs: what has not changed is not read out again.
export const setText = (element, text) => {
    if (element.textContent !== text) element.textContent = text;
};

export const table = (names, rows) =>
    make(
        "table",
        {},
        make("thead", {}, make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name)))),
        make(
            "tbody",
            {},
            ...rows.map((row) => make("tr", {}, ...row.map((cell, i) => (i ? make("td", {}, cell) : make("th", { scope: "row" }, cell))))),
        ),
    );
