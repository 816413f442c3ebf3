// Colours that can be seen: the contrast ratio of WCAG, and the nearest colour that has enough of it.

const hex = (x) => Math.round(x).toString(16).padStart(2, "0");

/** Channels 0..255 of #rrggbb. */
export function channels(color) {
  return [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
}

const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);

/** Relative luminance of #rrggbb, 0 to 1. */
export function luminance(color) {
  const [r, g, b] = channels(color).map((c) => linear(c / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Contrast ratio of two colours, 1 to 21. */
export function contrast(a, b) {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

/** The colour, mixed with white until it stands out from a darker background by the given ratio. */
export function lightened(color, background, ratio) {
  const mixed = (s) => `#${channels(color).map((c) => hex(c + s * (255 - c))).join("")}`;
  if (luminance(color) >= luminance(background) && contrast(color, background) >= ratio) return color;
  let low = 0;
  let high = 1;
  for (let i = 0; i < 12; i++) {
    const middle = (low + high) / 2;
    const enough = luminance(mixed(middle)) > luminance(background) && contrast(mixed(middle), background) >= ratio;
    if (enough) high = middle;
    else low = middle;
  }
  return mixed(high);
}
