// Energy over time on a 2D canvas, in step with the motion.
import { compact } from "./dom.js";

const CURVES = [
  ["potential", "--potential"],
  ["kinetic", "--kinetic"],
  ["total", "--total"],
];

const UNSEEN = 1e-4; // of the range that is drawn

/** An energy as the legend tells it: what cannot be seen beside the others is none. */
export function told(value, span) {
  const size = Math.abs(value);
  return `${compact(size < UNSEEN * span ? 0 : value, size < 0.2 * span ? 2 : 3)} J`;
}

function niceStep(span, count) {
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const mantissa = rough / power;
  return power * (mantissa > 5 ? 10 : mantissa > 2 ? 5 : mantissa > 1 ? 2 : 1);
}

export class EnergyPlot {
  constructor(canvas, legend, onSeek) {
    this.canvas = canvas;
    this.legend = legend;
    this.box = { left: 46, right: 10, top: 8, bottom: 20 };
    if (onSeek) this.#seekable(onSeek);
  }

  #seekable(onSeek) {
    const seek = (event) => {
      if (!(event.buttons & 1) || !this.range) return;
      const bounds = this.canvas.getBoundingClientRect();
      const inner = bounds.width - this.box.left - this.box.right;
      const s = (event.clientX - bounds.left - this.box.left) / inner;
      onSeek(this.range.from + s * (this.range.to - this.range.from));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.canvas.addEventListener("pointermove", seek);
  }

  draw(series) {
    const { canvas, box } = this;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (!series || !width || !height) return;
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.range = series;
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--muted");
    const [low, high] = this.#limits(series);
    const x = (t) => box.left + ((t - series.from) / (series.to - series.from || 1)) * (width - box.left - box.right);
    const y = (e) => height - box.bottom - ((e - low) / (high - low)) * (height - box.top - box.bottom);
    this.#axes(context, series, low, high, x, y, width, height, ink);
    for (const [name, variable] of CURVES) {
      this.#curve(context, series, name, style.getPropertyValue(variable), x, y, width);
    }
    this.#cursor(context, series, x, y, height, style);
    this.#legendText(series);
  }

  #value(series, name, i) {
    return name === "total" ? series.kinetic[i] + series.potential[i] : series[name][i];
  }

  /** Range of the data; it is kept until the arrays change, scanning them each frame would be wasteful. */
  #limits(series) {
    const n = series.count ?? series.times.length;
    if (this.scanned?.kinetic === series.kinetic && this.scanned.n === n) return this.scanned.limits;
    let low = Infinity;
    let high = -Infinity;
    for (let i = 0; i < n; i++) {
      for (const [name] of CURVES) {
        const value = this.#value(series, name, i);
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    if (!(high > low)) [low, high] = [low - 1, low + 1];
    const pad = 0.06 * (high - low);
    this.scanned = { kinetic: series.kinetic, n, limits: [low - pad, high + pad] };
    return this.scanned.limits;
  }

  #axes(context, series, low, high, x, y, width, height, ink) {
    const { box } = this;
    context.font = "10.5px system-ui, sans-serif";
    context.fillStyle = ink;
    context.strokeStyle = ink;
    context.lineWidth = 1;
    context.textAlign = "right";
    context.textBaseline = "middle";
    const step = niceStep(high - low, 3);
    for (let e = Math.ceil(low / step) * step; e <= high; e += step) {
      context.globalAlpha = 0.22;
      context.beginPath();
      context.moveTo(box.left, y(e));
      context.lineTo(width - box.right, y(e));
      context.stroke();
      context.globalAlpha = 1;
      context.fillText(compact(Math.abs(e) < 1e-9 * step ? 0 : e, 4), box.left - 6, y(e));
    }
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    const second = niceStep(series.to - series.from || 1, 4);
    for (let t = Math.ceil(series.from / second) * second; t <= series.to + 1e-9; t += second) {
      if (x(t) < width - 22) context.fillText(`${compact(t)} s`, Math.max(x(t), box.left + 8), height - 6);
    }
  }

  #curve(context, series, name, color, x, y, width) {
    const n = series.count ?? series.times.length;
    const stride = Math.max(1, Math.floor(n / (2 * width)));
    context.beginPath();
    for (let i = 0; i < n; i += stride) context.lineTo(x(series.times[i]), y(this.#value(series, name, i)));
    context.strokeStyle = color;
    context.lineWidth = name === "total" ? 2 : 1.6;
    context.lineJoin = "round";
    context.stroke();
  }

  #cursor(context, series, x, y, height, style) {
    const i = this.#nearest(series);
    context.strokeStyle = style.getPropertyValue("--ink");
    context.globalAlpha = 0.5;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x(series.now), this.box.top);
    context.lineTo(x(series.now), height - this.box.bottom);
    context.stroke();
    context.globalAlpha = 1;
    for (const [name, variable] of CURVES) {
      context.fillStyle = style.getPropertyValue(variable);
      context.beginPath();
      context.arc(x(series.now), y(this.#value(series, name, i)), 3.2, 0, 2 * Math.PI);
      context.fill();
    }
  }

  #nearest(series) {
    let low = 0;
    let high = (series.count ?? series.times.length) - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (series.times[middle] <= series.now) low = middle;
      else high = middle;
    }
    return series.times[high] <= series.now ? high : low;
  }

  #legendText(series) {
    const i = this.#nearest(series);
    const [low, high] = this.#limits(series);
    for (const [name] of CURVES) {
      this.legend[name].textContent = told(this.#value(series, name, i), high - low);
    }
  }
}
