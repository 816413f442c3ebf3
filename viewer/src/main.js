// The viewer: reads the scene of its page and shows it.
import * as THREE from "three";
import style from "../style.css";
import { Bodies } from "./bodies.js";
import { parseScene } from "./data.js";
import { h } from "./dom.js";
import { scenery, span } from "./fit.js";
import { FlatShadows } from "./flatshadows.js";
import { button, energyCard, helpCard, idea, infoCard, PHONE, setPressed, titleCard, toggleButton, Transport } from "./interface.js";
import { bindKeys } from "./keyboard.js";
import { Live } from "./live.js";
import { LivePanel } from "./livepanel.js";
import { Contacts, Frames } from "./markers.js";
import { Playback } from "./playback.js";
import { EnergyPlot } from "./plot.js";
import { Pointer } from "./pointer.js";
import { Pull } from "./pull.js";
import { reducedMotion, Stage } from "./stage.js";
import { Strands } from "./strands.js";
import { Trails } from "./trails.js";
import { VariantCard } from "./variants.js";

const FALL = 4; // how many times its own size a live motion may take in the first picture
const AWAY = 1.5; // times the size of what the first picture shows: farther, and it would be left

class Viewer {
  constructor(scene) {
    this.scene = scene;
    this.query = new URLSearchParams(location.search);
    this.options = scene.options ?? {};
    this.host = h("main", { class: "stage" });
    document.body.append(this.host);
    this.stage = new Stage(this.host, { lite: this.#lite(), up: scene.up ?? [0, 0, 1] });
    this.bodies = new Bodies(scene, this.stage.root, this.stage.lite);
    this.stage.cards = () => this.#covered();
    this.stage.onLoss = (lost) => this.#lost(lost);
    this.source = scene.live ? new Live(scene, window.makeDynamics(), window.makeContacts?.(), window.makeStrands?.()) : new Playback(scene);
    this.trails = new Trails(this.bodies, this.stage.root);
    this.frames = new Frames(this.bodies, this.stage.root);
    this.contacts = new Contacts(this.source, this.stage.root);
    this.strands = new Strands(scene, this.stage.root, this.stage.lite);
    this.shadows = this.stage.lite ? new FlatShadows(this.bodies, this.stage, [this.strands.group]) : null;
    this.followed = -1;
    this.selected = -1;
    this.#interface();
    this.setTheme(this.#wantsDark());
    this.#frameMotion(); // clear of the cards, which have their sizes now
    this.pointer = new Pointer(this);
    this.show();
  }

  #lite() {
    if (this.query.has("lite")) return this.query.get("lite") !== "0";
    return this.options.lite ?? undefined;
  }

  #wantsDark() {
    const asked = this.query.get("theme") ?? this.options.theme;
    return asked ? asked === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  /** Rectangles of the picture that cards cover and the motion should stay clear of, in parts of it. */
  #covered() {
    const { clientWidth: width, clientHeight: height } = this.host;
    const cards = [...this.chrome.querySelectorAll(".title, .card")].map((card) => card.getBoundingClientRect()).filter((r) => r.width && r.height);
    return cards.map((r) => ({ left: r.left / width, right: r.right / width, top: r.top / height, bottom: r.bottom / height }));
  }

  /** Say so while the graphics card is away; a still picture has to be drawn again when it is back. */
  #lost(lost) {
    this.notice.hidden = !lost;
    if (!lost) this.show();
  }

  /** Look through the whole motion, and put camera and floor where they show it best. */
  #frameMotion() {
    const turn = this.stage.root.quaternion;
    const seen = [];
    this.source.survey((rows) => {
      this.bodies.setPoses(rows);
      seen.push([...this.bodies.outline(turn), ...this.strands.outline(this.source, turn)]);
    });
    // What falls freely or rides away in a live page would be a speck in a picture of all of it: the camera goes along
    // with what leaves its surroundings.
    const flies = this.scene.live && (this.scene.live.falls || span(seen.flat()) > FALL * span(seen[0]));
    const moving = flies ? seen[0] : seen.flat();
    const still = this.bodies.fixedOutlines(turn);
    const { points, floors, height } = scenery(still.map((thing) => thing.points), moving.length ? span(moving) : Infinity);
    for (const k of floors) still[k].mesh.visible = false; // the page's own floor lies there
    this.stage.frameMotion(moving.length ? moving : [[-1, -1, -1], [1, 1, 1]], points, height);
    this.size = this.stage.home.size;
    this.frames.setSize((0.26 * this.size) / Math.max(2, Math.sqrt(this.scene.bodies.length)));
    this.contacts.setSize(0.010 * this.size);
    if (flies && this.source.rehearsed && span([...seen.flat(), ...points]) > AWAY * span([...moving, ...points])) this.#followBody(0);
  }

  #interface() {
    const changed = () => this.show();
    const { scene, source } = this;
    if (scene.live) {
      this.pull = source.still ? null : new Pull(this.stage, this.bodies, source, scene.bodies.map((b) => b.mass ?? 1), changed);
      this.bar = new LivePanel(scene, source, this.pull, changed);
    } else {
      this.bar = new Transport(source, changed);
    }
    this.choice = scene.variants ? new VariantCard(scene.variants, source.variant, (k) => this.choose(k)) : null;
    this.energy = energyCard();
    this.plot = new EnergyPlot(this.energy.canvas, this.energy.values, scene.live ? null : (t) => this.seek(t));
    this.tools = {
      trails: toggleButton("trail", "Trails", "T", () => this.toggleTrails()),
      frames: toggleButton("axes", "Body frames", "X", () => this.toggleFrames()),
      contacts: toggleButton("contact", this.contacts.arrows ? "Contact points and forces" : "Contact points", "C", () => this.toggleContacts()),
      strands: toggleButton("strand", "Muscles, cables, springs", "M", () => this.toggleStrands()),
      follow: toggleButton("follow", "Follow a body", "F", () => this.follow()),
      home: button("camera", "Whole view", "R", () => this.goHome()),
      energy: toggleButton("energy", "Energy", "E", () => this.toggleEnergy()),
      theme: toggleButton("theme", "Dark theme", "D", () => this.setTheme(!this.dark)),
      info: toggleButton("info", "About this motion", "I", () => this.toggleSheet("info")),
      help: toggleButton("keys", "Keys and gestures", "H", () => this.toggleSheet("help")),
    };
    this.tools.contacts.hidden = !this.contacts.available;
    this.tools.strands.hidden = !this.strands.available;
    setPressed(this.tools.strands, this.strands.available);
    this.tools.energy.hidden = !source.series();
    this.energy.card.hidden = !source.series() || matchMedia(PHONE).matches;
    this.label = h("div", { class: "label", hidden: true });
    this.notice = h("p", { class: "refusal", role: "status", hidden: true }, "The graphics card was taken away; the picture comes back with it.");
    const { domElement: canvas } = this.stage.renderer;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", [scene.title, idea(scene), scene.subtitle].filter(Boolean).join(". "));
    const close = () => button("close", "Close", "Esc", () => this.toggleSheet(null));
    const shortcuts = bindKeys(this);
    const tools = h("nav", { class: "card tools", "aria-label": "View" }, Object.values(this.tools));
    this.chrome = h("div", { class: "chrome" },
      h("div", { class: "row above" }, titleCard(scene), tools), this.choice?.card, h("div", { class: "row below" }, this.bar.card, this.energy.card));
    document.body.append(this.chrome, infoCard(scene, close()), helpCard(shortcuts, Boolean(scene.live), close()), this.label, this.notice);
    document.body.classList.toggle("is-bare", this.query.has("bare"));
    document.body.classList.toggle("is-live", Boolean(scene.live));
    setPressed(this.tools.energy, !this.energy.card.hidden);
    if (this.contacts.arrows) {
      this.contacts.mesh.visible = true; // contacts that open and close are what such a page is about
      setPressed(this.tools.contacts, true);
    }
  }

  setTheme(dark) {
    this.dark = dark;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    this.stage.setTheme(dark);
    const sky = getComputedStyle(document.documentElement).getPropertyValue("--sky-peak").trim();
    this.bodies.materials.setSky(dark ? sky : null);
    this.trails.recolor();
    setPressed(this.tools.theme, dark);
    this.show();
  }

  toggleTrails() {
    this.#toggle(this.trails.group, this.tools.trails);
  }

  toggleFrames() {
    this.#toggle(this.frames.mesh, this.tools.frames);
  }

  toggleContacts() {
    if (this.contacts.available) this.#toggle(this.contacts.mesh, this.tools.contacts);
  }

  toggleStrands() {
    if (this.strands.available) this.#toggle(this.strands.group, this.tools.strands);
  }

  #toggle(object, tool) {
    object.visible = !object.visible;
    setPressed(tool, object.visible);
    this.show();
  }

  toggleEnergy() {
    if (this.tools.energy.hidden) return;
    this.energy.card.hidden = !this.energy.card.hidden;
    setPressed(this.tools.energy, !this.energy.card.hidden);
    this.show();
  }

  toggleSheet(name) {
    for (const id of ["info", "help"]) {
      const sheet = document.getElementById(id);
      sheet.hidden = id !== name || !sheet.hidden;
      setPressed(this.tools[id], !sheet.hidden);
    }
  }

  /** Follow the selected body, else the next one, else nobody. */
  follow() {
    const next = this.selected >= 0 && this.followed !== this.selected ? this.selected : this.followed >= 0 ? -1 : this.bodies.leaves[0] ?? -1;
    this.#followBody(next);
    if (next >= 0) this.select(next);
    this.show();
  }

  #followBody(body) {
    this.followed = body;
    this.anchor = null;
    setPressed(this.tools.follow, body >= 0);
  }

  select(body) {
    this.selected = body;
    this.label.textContent = body < 0 ? "" : this.scene.bodies[body].name;
    this.label.hidden = body < 0;
    if (body >= 0) this.trails.show([...new Set([...this.bodies.leaves.slice(0, 12), body])]);
    this.show();
  }

  goHome() {
    this.#followBody(-1);
    this.stage.goHome();
  }

  seek(t) {
    this.source.seek(t);
    this.show();
  }

  /** Show another of several motions. */
  choose(k) {
    this.source.choose(k);
    this.bodies.showVariant(this.source.variant);
    this.choice.update(this.source.variant);
    this.show();
  }

  #moveCamera() {
    if (this.followed < 0) return;
    const { controls, camera, root } = this.stage;
    const point = this.bodies.boxes[this.followed].getCenter(new THREE.Vector3());
    point.applyMatrix4(this.bodies.groups[this.followed].matrix).applyQuaternion(root.quaternion);
    if (this.anchor) {
      const by = point.clone().sub(this.anchor);
      camera.position.add(by);
      controls.target.add(by);
    }
    this.anchor = point;
  }

  #placeLabel() {
    if (this.selected < 0) return;
    const { camera, root, container } = this.stage;
    const point = this.bodies.boxes[this.selected].getCenter(new THREE.Vector3());
    point.applyMatrix4(this.bodies.groups[this.selected].matrix).applyQuaternion(root.quaternion).project(camera);
    this.label.style.transform = `translate(${((point.x + 1) / 2) * container.clientWidth}px, ${((1 - point.y) / 2) * container.clientHeight}px)`;
  }

  /** Bring the picture in line with the source. */
  show() {
    this.bodies.setPoses(this.source.poses());
    this.trails.update(this.source, this.stage.renderer.domElement);
    this.source.poses(); // trails use the same scratch rows
    this.shadows?.update(this.dark);
    this.frames.update();
    this.contacts.update(this.source);
    this.strands.update(this.source);
    this.pull?.update(this.size);
    this.#moveCamera();
    if (!this.energy.card.hidden) this.plot.draw(this.source.series());
    this.bar.update();
    this.stage.invalidate();
  }

  run() {
    let last = performance.now();
    const loop = (now) => {
      const seconds = Math.min(0.25, Math.max(0, (now - last) / 1000));
      last = now;
      if (this.source.tick(seconds)) this.show();
      this.stage.render(this.source.playing, seconds);
      this.#placeLabel();
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
    new ResizeObserver(() => this.show()).observe(this.energy.card);
    const time = this.query.get("t");
    if (time && !this.scene.live) this.seek(Number(time));
    const stays = this.query.get("play") === "0" || this.options.autoplay === false || time || reducedMotion();
    if (!stays && !this.source.still) this.source.playing = true;
    this.show();
  }
}

function refuse(error) {
  document.body.append(h("p", { class: "refusal" }, `This page could not start: ${error.message}. A browser with WebGL is needed.`));
}

async function start() {
  document.head.append(h("style", {}, style));
  try {
    const viewer = new Viewer(await parseScene(document.getElementById("anyjoint-scene").textContent));
    window.anyjoint = viewer; // for notebooks, tests and the curious
    viewer.run();
  } catch (error) {
    refuse(error);
    throw error;
  }
}

start();
