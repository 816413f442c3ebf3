// Several motions of one mechanism, such as the iterations of an optimisation: a slider, and a number of each as a curve.
import { compact, h } from "./dom.js";
import { slider } from "./interface.js";

const LOW = 1e-300;

/** Heights 0 to 1 of positive numbers on a logarithmic scale where they span more than a decade, else on a plain one. */
export function heights(values) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const far = low > 0 && high / low > 10;
  const scaled = far ? values.map((x) => Math.log(Math.max(x, LOW))) : values;
  const [from, to] = [Math.min(...scaled), Math.max(...scaled)];
  return scaled.map((x) => (to > from ? (x - from) / (to - from) : 0.5));
}

export class VariantCard {
  constructor({ name, value, items }, chosen, onchoose) {
    this.name = name;
    this.items = items;
    this.slider = slider(capital(name), { min: 0, max: items.length - 1, step: 1, value: chosen, show: (k) => items[k].label }, onchoose);
    this.value = h("b", {}, "");
    this.canvas = h("canvas", { role: "img", "aria-label": `${value} of all ${name}s` });
    this.canvas.addEventListener("pointerdown", (event) => this.#pick(event, onchoose));
    this.canvas.addEventListener("pointermove", (event) => event.buttons & 1 && this.#pick(event, onchoose));
    this.card = h("section", { class: "card variants", "aria-label": `${capital(name)}s` },
      this.slider.element, this.canvas, h("p", { class: "reading" }, value, this.value));
    new ResizeObserver(() => this.update(this.chosen)).observe(this.canvas);
    this.update(chosen);
  }

  #pick(event, onchoose) {
    const { left, width } = this.canvas.getBoundingClientRect();
    onchoose(((event.clientX - left - 5) / (width - 10)) * (this.items.length - 1));
  }

  /** Bring the card in line with the choice. */
  update(chosen) {
    this.chosen = chosen;
    this.slider.set(chosen);
    this.value.textContent = compact(this.items[chosen].value, 4);
    this.#draw(chosen);
  }

  #draw(chosen) {
    const { canvas } = this;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (!width || !height) return;
    const ratio = window.devicePixelRatio || 1;
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(document.documentElement);
    const x = (k) => 5 + (k / Math.max(1, this.items.length - 1)) * (width - 10);
    const at = heights(this.items.map((item) => item.value)).map((s) => height - 5 - s * (height - 10));
    context.strokeStyle = style.getPropertyValue("--muted");
    context.lineWidth = 1.6;
    context.lineJoin = "round";
    context.beginPath();
    at.forEach((y, k) => context.lineTo(x(k), y));
    context.stroke();
    context.fillStyle = style.getPropertyValue("--accent");
    context.beginPath();
    context.arc(x(chosen), at[chosen], 4, 0, 2 * Math.PI);
    context.fill();
  }
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}
