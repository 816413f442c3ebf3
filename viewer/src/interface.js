// The chrome around the picture: title, tools, transport bar, energy card, help.
import { compact, h } from "./dom.js";
import { icon } from "./icons.js";

export const PHONE = "(max-width: 720px) and (min-height: 480px)"; // as in style.css

/** A round button; `key` is shown in its tooltip. */
export function button(name, label, key, onclick) {
  const keys = key ? { title: `${label} (${key})`, "aria-keyshortcuts": key } : { title: label };
  // A click with the mouse leaves the focus where it was: Space goes on to play, not to press this again.
  const onmousedown = (event) => event.preventDefault();
  return h("button", { class: "round", type: "button", "aria-label": label, ...keys, onclick, onmousedown }, icon(name));
}

/** A button that is on or off. */
export function toggleButton(name, label, key, onclick) {
  const element = button(name, label, key, onclick);
  setPressed(element, false);
  return element;
}

export function setPressed(element, on) {
  element.setAttribute("aria-pressed", String(on));
}

/** The large button; what it says is what it will do. */
export class PlayButton {
  constructor(onclick) {
    this.element = button("play", "Play", "Space", onclick);
    this.element.classList.add("primary");
    this.playing = false;
  }

  update(playing) {
    if (this.playing === playing) return;
    this.playing = playing;
    const label = playing ? "Pause" : "Play";
    this.element.replaceChildren(icon(label.toLowerCase()));
    this.element.setAttribute("aria-label", label);
    this.element.title = `${label} (Space)`;
  }
}

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];

/** The idea of a model in one sentence: the first line of its description, without repeating the title. */
export function idea({ title, description }) {
  const line = (description ?? "").trim().split("\n", 1)[0];
  const [, name, rest] = line.match(/^(?:An? |The )?([^:]*):\s*(.+)$/i) ?? [];
  if (name?.toLowerCase() !== title.toLowerCase()) return line;
  return rest[0].toUpperCase() + rest.slice(1);
}

/** Title, the idea, and how large the model is. */
export function titleCard(scene) {
  const sentence = idea(scene);
  return h("header", { class: "title" }, h("h1", {}, scene.title),
    sentence ? h("p", { class: "idea" }, sentence) : null, h("p", { class: "count" }, scene.subtitle ?? ""));
}

/** The description by paragraphs; lines that were broken to fit a source file run on. */
function paragraphs(text) {
  return text.split(/\n\s*\n/).map((part) => h("p", {}, part.replace(/\s*\n\s*/g, " ").trim()));
}

/** Rows of "name: value" with a heading. */
function table(rows) {
  return h("dl", {}, rows.flatMap(([key, value]) => [h("dt", {}, key), h("dd", {}, String(value))]));
}

export function infoCard(scene, close) {
  return h("section", { class: "card sheet", id: "info", role: "dialog", "aria-label": "About this motion", hidden: true },
    h("h2", {}, scene.title), scene.description ? paragraphs(scene.description.trim()) : null,
    table(Object.entries(scene.info ?? {})),
    h("p", { class: "fine" }, "Made with anyjoint. This page is complete in itself and needs no network."), close);
}

export function helpCard(shortcuts, live, close) {
  const hint = live ? "drag a body to pull it" : "click a body to select it";
  const rows = shortcuts.map(([keys, text]) => h("div", { class: "shortcut" }, h("span", {}, keys.map((key) => h("kbd", {}, key))), text));
  return h("section", { class: "card sheet", id: "help", role: "dialog", "aria-label": "Keys and gestures", hidden: true }, h("h2", {}, "Keys and gestures"), rows,
    h("p", { class: "fine" }, `Drag to orbit, right-drag or two fingers to pan, wheel or pinch to zoom, ${hint}.`), close);
}

/** The energy card: canvas and legend. */
export function energyCard() {
  const values = {};
  const entry = (name, label) => {
    values[name] = h("b", {}, "");
    return h("span", { class: `entry ${name}` }, h("i", {}), label, values[name]);
  };
  const canvas = h("canvas", { role: "img", "aria-label": "Energy over time" });
  const card = h("section", { class: "card energy", id: "energy", "aria-label": "Energy" },
    h("div", { class: "legend" }, entry("total", "total"), entry("kinetic", "kinetic"), entry("potential", "potential")), canvas);
  return { card, canvas, values };
}

/** Play, scrub, speed, loop for a recorded motion. */
export class Transport {
  constructor(source, changed) {
    this.source = source;
    this.changed = changed;
    this.play = new PlayButton(() => this.act(() => source.toggle()));
    this.loop = toggleButton("loop", "Loop", "L", () => this.act(() => (source.loop = !source.loop)));
    this.scrub = h("input", {
      type: "range", min: source.start, max: source.end, step: "any", value: source.start, "aria-label": "Time", class: "scrub",
      oninput: () => this.act(() => source.seek(Number(this.scrub.value))),
    });
    this.clock = h("output", { class: "clock" });
    this.speed = h("select", { title: "Speed (Up, Down)", "aria-label": "Speed", onchange: () => this.act(() => (source.speed = Number(this.speed.value))) },
      SPEEDS.map((s) => h("option", { value: s, selected: s === source.speed }, `${s}\u00d7`)));
    this.card = h("footer", { class: "card transport" },
      button("back", "Frame back", "Left", () => this.act(() => source.stepFrame(-1))), this.play.element,
      button("forward", "Frame forward", "Right", () => this.act(() => source.stepFrame(1))),
      this.scrub, this.clock, this.speed, this.loop);
    this.update();
  }

  act(change) {
    change();
    this.changed();
    this.update();
  }

  faster(by) {
    const nearest = SPEEDS.reduce((best, s, i) => (Math.abs(s - this.source.speed) < Math.abs(SPEEDS[best] - this.source.speed) ? i : best), 0);
    this.source.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, nearest + by))];
    this.speed.value = String(this.source.speed);
  }

  /** Bring the bar in line with the source. */
  update() {
    const { source } = this;
    this.play.update(source.playing);
    setPressed(this.loop, source.loop);
    this.scrub.max = String(source.end);
    this.scrub.value = String(source.time);
    const part = (source.time - source.start) / (source.end - source.start || 1);
    this.scrub.style.setProperty("--part", `${100 * part}%`);
    const digits = source.end < 100 ? 2 : 1;
    this.scrub.setAttribute("aria-valuetext", `${source.time.toFixed(digits)} seconds`);
    this.clock.textContent = `${source.time.toFixed(digits)} / ${source.end.toFixed(digits)} s`;
  }
}

/** A labelled slider; `show` turns its value into text. */
export function slider(label, { min, max, step = "any", value, show = compact }, oninput) {
  const text = h("output", {}, show(value));
  const input = h("input", { type: "range", min, max, step, value, "aria-label": label });
  const paint = () => {
    input.style.setProperty("--part", `${(100 * (Number(input.value) - min)) / (max - min || 1)}%`);
    input.setAttribute("aria-valuetext", text.textContent);
  };
  const element = h("label", { class: "slider" }, h("span", {}, label), text, input);
  const set = (x) => {
    input.value = String(x);
    text.textContent = show(Number(x));
    paint();
  };
  input.addEventListener("input", () => {
    text.textContent = show(Number(input.value));
    paint();
    oninput(Number(input.value));
  });
  input.addEventListener("dblclick", () => {
    set(value);
    oninput(value);
  });
  paint();
  return { element, input, set };
}
