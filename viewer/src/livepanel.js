// The card of a live page: sliders, start, reset, drift read-out.
import { compact, h } from "./dom.js";
import { icon } from "./icons.js";
import { button, PHONE, PlayButton, slider } from "./interface.js";

function signed(x) {
  if (x === 0) return "0";
  return `${x < 0 ? "\u2212" : "+"}${Math.abs(x).toExponential(1)}`;
}

/** Simulated seconds per second, in at most five characters. */
export function pace(x) {
  return x < 0.01 ? "<0.01\u00d7" : `${x.toFixed(x < 9.95 ? 2 : 0)}\u00d7`;
}

export class LivePanel {
  constructor(scene, live, pull, changed) {
    Object.assign(this, { live, pull, changed });
    this.down = scene.live.gravity;
    this.read = { time: h("b", {}), drift: h("b", {}), pace: h("b", {}) };
    this.play = new PlayButton(() => this.act(() => live.toggle()));
    this.message = h("p", { class: "trouble", role: "alert", hidden: true });
    this.controls = h("div", { class: "sliders", id: "sliders" }, live.still ? [] : this.#physics(scene), this.#start(scene));
    this.folder = button("sliders", "Sliders", "S", () => this.fold());
    this.folder.setAttribute("aria-controls", "sliders");
    this.card = h("section", { class: "card live", id: "live" },
      h("div", { class: "row" }, live.still ? null : this.play.element,
        live.still ? null : h("button", { class: "text", type: "button", title: "Start over (Backspace)", onclick: () => this.act(() => live.reset()) }, icon("reset"), "Reset"),
        h("div", { class: "spacer" }),
        this.folder),
      live.still ? null : h("div", { class: "readout" },
        h("span", {}, "time", this.read.time), h("span", {}, "energy drift", this.read.drift), h("span", {}, "pace", this.read.pace)),
      this.message, this.controls);
    this.fold(matchMedia(PHONE).matches);
  }

  /** Hide or show the sliders. */
  fold(hidden = !this.controls.hidden) {
    this.controls.hidden = hidden;
    this.folder.setAttribute("aria-expanded", String(!hidden));
  }

  act(change) {
    change();
    this.changed();
    this.update();
  }

  #physics(scene) {
    const { live, pull } = this;
    const size = Math.hypot(...this.down);
    const unit = size > 0 ? this.down.map((x) => x / size) : [0, 0, -1];
    const gravity = slider("Gravity", { min: 0, max: Math.max(20, 2 * size), value: size, show: (x) => `${x.toFixed(2)} m/s\u00b2` }, (x) => {
      live.motion.gravity.set(unit.map((u) => u * x));
      this.act(() => live.rebase());
    });
    const most = scene.live.damping_max ?? 1;
    const damping = slider("Damping", { min: 0, max: 1, value: 0, show: (s) => compact(most * s * s) }, (s) => {
      live.motion.damping = most * s * s; // squared: fine control where it matters
      this.act(() => live.rebase());
    });
    const speed = slider("Speed", { min: -4, max: 2, step: 0.25, value: 0, show: (p) => `${compact(2 ** p, 2)}\u00d7` }, (p) => (live.speed = 2 ** p));
    const strength = slider("Pull strength", { min: -3, max: 3, step: 0.5, value: 0, show: (p) => `${compact(2 ** p, 2)}\u00d7` }, (p) => (pull.strength = 2 ** p));
    this.speed = speed;
    return [gravity, damping, speed, strength].map((s) => s.element);
  }

  #start(scene) {
    const { live } = this;
    const fields = scene.live.coordinates ?? [];
    if (!fields.length) return [];
    const sliders = fields.map((field) =>
      slider(field.name, { min: field.min, max: field.max, value: live.motion.start.q[field.index], show: (x) => `${compact(x)}${field.unit ? ` ${field.unit}` : ""}` }, (x) => {
        live.motion.begin(field.index, x);
        if (live.motion.dynamics.constrained) sliders.forEach((s, k) => s.set(live.motion.start.q[fields[k].index]));
        this.act(() => live.reset());
      }));
    const open = live.still || fields.length <= 4;
    return [h("details", { open }, h("summary", {}, live.still ? "Pose" : "Start"), ...sliders.map((s) => s.element))];
  }

  update() {
    const { live, read, pull } = this;
    this.play.update(live.playing);
    if (live.still) return;
    read.time.textContent = `${live.time.toFixed(2)} s`;
    const { damping, dynamics } = live.motion;
    const working = pull.grab ? "pulling" : dynamics.driven ? "driven" : damping > 0 || dynamics.damped ? "damped" : null;
    read.drift.textContent = working ?? signed(live.drift());
    read.pace.textContent = pace(live.ratio * live.speed);
    this.message.hidden = !live.trouble;
    this.message.textContent = live.trouble ?? "";
  }
}
