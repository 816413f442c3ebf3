// Live physics: the page's own dynamics, stepped in real time, with a short memory for trails and the plot.
import { Motion } from "./motion.js";

const WINDOW = 20; // seconds of energy shown
const RATE = 60; // samples per simulated second that are remembered
const MEMORY = 4 * RATE;
const SHOWN = 9; // numbers of a point of contact: where it is, its normal, the force
const TRUSTED = 0.02; // of the energy: where the coarse steps of a rehearsal change it by more, they go elsewhere
const LARGE = 0.95; // of all forces in the rehearsal, so many are smaller than the one that is drawn at full length

/** The value that a share of a list lies below; 0 of an empty one. */
function quantile(values, share) {
  const sorted = Float64Array.from(values).sort();
  return sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] : 0;
}

export class Live {
  /** dynamics as in live.py; contacts(q, out) as in contact.py, strands(q, poses, out) as in strands.py, or null. */
  constructor(scene, dynamics, contacts = null, strands = null) {
    const { q0, v0, gravity, dt } = scene.live;
    this.motion = new Motion(dynamics, { q0, v0, gravity, dt });
    this.still = Boolean(dynamics.still); // some coordinate moves no inertia: it can only be posed
    this.count = scene.bodies.length;
    this.rows = new Float64Array(12 * this.count);
    this.past = new Float32Array(MEMORY * 12 * this.count);
    this.log = { times: [], kinetic: [], potential: [] };
    Object.assign(this, { speed: 1, playing: false, debt: 0, ratio: 1, trouble: null, contacts, beforeStep: null });
    this.riding = contacts ? scene.live.contacts : []; // parents of the bodies that ride on something
    this.points = new Float64Array(3 * this.mostContacts);
    this.forces = new Float64Array(3 * this.mostContacts);
    this.strands = strands;
    this.levels = scene.live.levels ? Float64Array.from(scene.live.levels, (x) => x / 255) : null;
    this.along = new Float64Array(3 * (scene.pulling ?? []).reduce((sum, { points }) => sum + points, 0));
    this.unit = scene.bodies.reduce((sum, body) => sum + (body.mass ?? 1), 0) * Math.hypot(...gravity) || 1; // N
    this.reset();
  }

  get time() {
    return this.motion.time;
  }

  reset() {
    this.motion.reset();
    this.motion.dynamics.touched?.fill(0);
    this.debt = 0;
    this.trouble = null;
    this.samples = 0;
    for (const key of Object.keys(this.log)) this.log[key].length = 0;
    this.rebase();
    this.#remember();
  }

  /** From now on, drift counts from the present energy: somebody did work on the mechanism. */
  rebase() {
    const [kinetic, potential] = this.motion.energy();
    this.reference = kinetic + potential;
    this.scale = 0;
  }

  /** Relative energy error since the last rebase, against the largest energy that was exchanged. */
  drift() {
    const [kinetic, potential] = this.motion.energy();
    this.scale = Math.max(this.scale, Math.abs(kinetic), 1e-12);
    return (kinetic + potential - this.reference) / this.scale;
  }

  toggle() {
    if (this.still) return;
    if (this.trouble) this.reset();
    this.playing = !this.playing;
  }

  stepFrame(by) {
    this.playing = false;
    if (by > 0 && !this.still) this.advance(Math.max(1, Math.round(1 / (RATE * this.motion.dt))));
  }

  /** Take n steps now; false when they broke down. */
  advance(n) {
    const { motion } = this;
    for (let i = 0; i < n; i++) {
      this.beforeStep?.();
      motion.step();
      if (motion.time * RATE >= this.samples) this.#remember();
    }
    if (motion.finite()) return true;
    this.playing = false;
    const what = motion.dynamics.chooses ? "No step is short enough" : "The motion blew up";
    this.trouble = `${what} near t = ${motion.time.toFixed(2)} s. Reset it, and try a gentler start or pull.`;
    return false;
  }

  /** Advance by wall-clock seconds, within a budget of milliseconds so that the page stays responsive. */
  tick(seconds, budget = 14) {
    if (!this.playing || this.still || this.trouble) return false;
    const { dt } = this.motion;
    const wanted = Math.min(seconds, 0.1) * this.speed;
    this.debt += wanted;
    const began = performance.now();
    const before = this.time;
    while (this.debt >= dt && performance.now() - began < budget) {
      const n = Math.min(8, Math.floor(this.debt / dt));
      this.debt -= n * dt;
      if (!this.advance(n)) return true;
    }
    if (this.debt > 4 * dt) this.debt = 0; // cannot keep up: run slower rather than fall behind for ever
    if (wanted > 0) this.ratio += 0.05 * ((this.time - before) / wanted - this.ratio);
    return true;
  }

  #remember() {
    this.motion.dynamics.poses(this.motion.q, this.rows);
    this.past.set(this.rows, (this.samples % MEMORY) * 12 * this.count);
    const [kinetic, potential] = this.motion.energy();
    const { log } = this;
    log.times.push(this.time);
    log.kinetic.push(kinetic);
    log.potential.push(potential);
    if (log.times.length > 2 * WINDOW * RATE) for (const series of Object.values(log)) series.splice(0, WINDOW * RATE);
    this.samples += 1;
  }

  poses() {
    this.motion.dynamics.poses(this.motion.q, this.rows);
    return this.rows;
  }

  history(body, point, seconds, out, most) {
    const n = Math.min(this.samples, MEMORY - 1, most - 1, Math.round(seconds * RATE));
    const place = (rows, at, k) => {
      for (let c = 0; c < 3; c++) {
        const r = at + 4 * c;
        out[3 * k + c] = rows[r] * point.x + rows[r + 1] * point.y + rows[r + 2] * point.z + rows[r + 3];
      }
    };
    for (let k = 0; k < n; k++) place(this.past, 12 * (((this.samples - n + k) % MEMORY) * this.count + body), k);
    place(this.poses(), 12 * body, n);
    return n + 1;
  }

  /** Points of what pulls along paths, now. */
  strandPoints() {
    this.strands(this.motion.q, this.poses(), this.along);
    return this.along;
  }

  /** How much each of them is activated, from 0 to 1; null if nothing is. */
  strandLevels() {
    return this.levels;
  }

  get mostContacts() {
    return this.riding.length + this.touches;
  }

  /** How many points may touch, by contacts whose forces are known. */
  get touches() {
    return this.motion.dynamics.touches ?? 0;
  }

  get knowsForces() {
    return this.touches > 0;
  }

  /** Contact points now: of bodies that ride on something, then of those that touched in the last step. */
  contactPoints() {
    if (!this.mostContacts) return null;
    this.#ride();
    const count = this.#touch();
    return this.points.subarray(0, 3 * count);
  }

  /** Forces at the contact points, as shares of one that is drawn at full length; asked for after the points. */
  contactForces() {
    return this.forces;
  }

  /** Copy the points of all contacts that push, and their forces; how many points there are then. */
  #touch() {
    const { touched } = this.motion.dynamics;
    let count = this.riding.length;
    for (let at = 0; at < SHOWN * this.touches; at += SHOWN) {
      const force = touched.subarray(at + 6, at + SHOWN);
      if (!force.some((x) => x !== 0)) continue;
      this.points.set(touched.subarray(at, at + 3), 3 * count);
      this.forces.set(force.map((x) => x / this.unit), 3 * count);
      count += 1;
    }
    return count;
  }

  /** Points of bodies that ride on something: the generated code gives them in the parents' frames. */
  #ride() {
    const { points, riding } = this;
    if (!riding.length) return;
    this.contacts(this.motion.q, points);
    const rows = this.poses();
    riding.forEach((parent, k) => {
      if (parent < 0) return;
      const [x, y, z] = points.subarray(3 * k, 3 * k + 3);
      for (let c = 0; c < 3; c++) {
        const r = 12 * parent + 4 * c;
        points[3 * k + c] = rows[r] * x + rows[r + 1] * y + rows[r + 2] * z + rows[r + 3];
      }
    });
  }

  series() {
    if (this.still) return null;
    const { times } = this.log;
    const first = Math.max(0, times.length - WINDOW * RATE);
    const cut = (list) => Float64Array.from(first ? list.slice(first) : list);
    const to = Math.max(WINDOW / 2, this.time);
    return { times: cut(times), kinetic: cut(this.log.kinetic), potential: cut(this.log.potential), from: Math.max(0, to - WINDOW), to, now: this.time };
  }

  /** Visit the poses of a quick, coarse rehearsal, to know how much room the motion takes and how large forces are. */
  survey(visit) {
    const { motion } = this;
    const { dt } = motion;
    const sizes = [];
    const began = performance.now();
    visit(this.poses());
    if (this.still) return;
    motion.dt = Math.max(dt, 0.01);
    for (let k = 0; k < 60 && performance.now() - began < 300; k++) {
      for (let i = 0; i < 0.05 / motion.dt; i++) motion.step();
      if (!motion.finite()) break;
      visit(this.poses());
      sizes.push(...this.#sizes());
    }
    this.unit = quantile(sizes, LARGE) || this.unit;
    this.rehearsed = motion.dynamics.damped || motion.dynamics.driven || Math.abs(this.drift()) < TRUSTED;
    motion.dt = dt;
    this.reset(); // what was rehearsed has not happened
  }

  /** How large the forces of contacts are that push. */
  #sizes() {
    const { touched } = this.motion.dynamics;
    const starts = Array.from({ length: this.touches }, (_, k) => SHOWN * k + 6);
    return starts.map((at) => Math.hypot(...touched.subarray(at, at + 3))).filter((size) => size > 0);
  }
}
