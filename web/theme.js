// theme.js: light, dark, or as the system says. It runs before the page is drawn, so that nothing flashes.
"use strict";
(() => {
    const order = ["auto", "light", "dark"];
    const kept = () => {
        try {
            return order.includes(localStorage.getItem("theme")) ? localStorage.getItem("theme") : "auto";
        } catch {
            return "auto"; // a browser that keeps nothing
        }
    };
    let theme = kept();
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const apply = () => {
        const actual = theme === "auto" ? (dark.matches ? "dark" : "light") : theme;
        document.documentElement.dataset.theme = actual;
        const button = document.getElementById("theme");
        if (button) button.textContent = `Theme: ${theme}`;
        dispatchEvent(new Event("themechange"));
    };
    apply();
    dark.addEventListener("change", apply);
    addEventListener("DOMContentLoaded", () => {
        apply();
        document.getElementById("theme").addEventListener("click", () => {
            theme = order[(order.indexOf(theme) + 1) % order.length];
            try {
                localStorage.setItem("theme", theme);
            } catch {
                // then it holds for this page only
            }
            apply();
        });
    });
})();
