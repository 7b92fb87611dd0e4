// format.js: numbers, sizes and times as people read them.
const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const exact = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const powers = [
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
];

export const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const orDash = (write) => (value) => (isNumber(value) ? write(value) : "–");

export const count = orDash((value) => grouped.format(value));
export const loss = orDash((value) => (Math.abs(value) >= 1e-3 || value === 0 ? value.toFixed(4) : value.toExponential(2)));
export const percent = orDash((value) => `${value.toFixed(value < 10 ? 1 : 0)} %`);
export const share = orDash((value) => `${(100 * value).toFixed(2)} %`);
export const brief = orDash((value) => {
    for (const [power, letter] of powers) if (Math.abs(value) >= power) return exact.format(value / power) + letter;
    return exact.format(value);
});
const sized = (value) => {
    for (const [power, letter] of powers) if (Math.abs(value) >= power) return `${exact.format(value / power)} ${letter}B`;
    return `${exact.format(value)} B`;
};
export const bytes = orDash(sized);
export const rate = orDash((value) => `${sized(value)}/s`);
export const clock = orDash((wall) => new Date(1000 * wall).toLocaleTimeString("en-GB"));
export const duration = orDash((seconds) => {
    if (seconds < 60) return `${seconds.toFixed(1)} s`;
    const whole = Math.round(seconds),
        two = (n) => String(n).padStart(2, "0");
    const hours = Math.floor(whole / 3600),
        minutes = Math.floor(whole / 60) % 60;
    return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
});
export const shape = (dimensions) => (dimensions && dimensions.length ? dimensions.join("×") : "scalar");
