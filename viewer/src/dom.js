// A two-function DOM toolkit: enough for a viewer, nothing to learn.

/** Make an element: h("button", {class: "x", onclick: f}, "text", child). */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child != null));
  return element;
}

/** A number in few characters: engineering users read exponents, not ten zeros. */
export function compact(x, digits = 3) {
  if (!Number.isFinite(x)) return "\u2013";
  const size = Math.abs(x);
  const text = size !== 0 && (size >= 1e5 || size < 1e-3) ? x.toExponential(1) : String(Number(x.toPrecision(digits)));
  return text.replace("-", "\u2212");
}
