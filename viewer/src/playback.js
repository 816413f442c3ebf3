// A recorded motion: time, poses between frames, history of a point.

/** Index i with times[i] <= t < times[i + 1]. */
function frameAt(times, t) {
  let low = 0;
  let high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  return low;
}

/** Write position + quaternion (x y z w) as a row-major 3 x 4 matrix. */
function writeRows(out, at, px, py, pz, x, y, z, w) {
  const n = 2 / (x * x + y * y + z * z + w * w);
  out[at] = 1 - n * (y * y + z * z); out[at + 1] = n * (x * y - z * w); out[at + 2] = n * (x * z + y * w); out[at + 3] = px;
  out[at + 4] = n * (x * y + z * w); out[at + 5] = 1 - n * (x * x + z * z); out[at + 6] = n * (y * z - x * w); out[at + 7] = py;
  out[at + 8] = n * (x * z - y * w); out[at + 9] = n * (y * z + x * w); out[at + 10] = 1 - n * (x * x + y * y); out[at + 11] = pz;
}

export class Playback {
  constructor(scene) {
    this.count = scene.bodies.length;
    this.rows = new Float64Array(12 * this.count);
    this.variants = scene.variants?.items ?? [scene];
    Object.assign(this, { time: -Infinity, speed: 1, loop: true, playing: false, pause: 0 });
    this.choose(this.variants.length - 1);
  }

  /** Show another of several motions, at the same time if it lasts that long. */
  choose(k) {
    this.variant = Math.min(this.variants.length - 1, Math.max(0, Math.round(k)));
    const motion = this.variants[this.variant];
    this.times = motion.times;
    this.data = motion.poses;
    this.frames = this.times.length;
    this.start = this.times[0];
    this.end = this.times[this.frames - 1];
    this.energySeries = motion.energy;
    this.contacts = motion.contacts;
    this.strands = motion.strands;
    this.time = Math.min(this.end, Math.max(this.start, this.time));
  }

  /** How many bodies touch at most. */
  get mostContacts() {
    const starts = this.contacts?.starts ?? [];
    let most = 0;
    for (let i = 0; i + 1 < starts.length; i++) most = Math.max(most, starts[i + 1] - starts[i]);
    return most;
  }

  get frame() {
    return frameAt(this.times, this.time + 1e-6);
  }

  /** Advance by wall-clock seconds; true when the picture changed. */
  tick(seconds) {
    if (!this.playing || this.end <= this.start) return false;
    if (this.pause > 0) {
      this.pause -= seconds; // hold the last picture for a moment before starting over
      if (this.pause <= 0) this.time = this.start;
      return true;
    }
    this.time += seconds * this.speed;
    if (this.time >= this.end) {
      this.time = this.end;
      if (this.loop) this.pause = 0.6;
      else this.playing = false;
    }
    return true;
  }

  seek(t) {
    this.pause = 0;
    this.time = Math.min(this.end, Math.max(this.start, t));
  }

  toggle() {
    if (!this.playing && this.time >= this.end) this.seek(this.start);
    this.playing = !this.playing;
  }

  stepFrame(by) {
    this.playing = false;
    this.seek(this.times[Math.min(this.frames - 1, Math.max(0, this.frame + by))]);
  }

  /** Poses now, interpolated between the two nearest frames. */
  poses() {
    const { i, j, s } = this.#between();
    for (let b = 0; b < this.count; b++) this.#blend(b, i, j, s);
    return this.rows;
  }

  /** The frames before and after now, and how far it is from one to the other. */
  #between() {
    const i = this.frame;
    const j = Math.min(i + 1, this.frames - 1);
    const span = this.times[j] - this.times[i];
    return { i, j, s: span > 0 ? Math.min(1, Math.max(0, (this.time - this.times[i]) / span)) : 0 };
  }

  /** A row of numbers per frame, now. */
  #mixed(rows, scale = 1) {
    const { i, j, s } = this.#between();
    const size = rows.length / this.frames;
    const [before, after] = [rows.subarray(i * size), rows.subarray(j * size)];
    return Float64Array.from({ length: size }, (_, k) => ((1 - s) * before[k] + s * after[k]) * scale);
  }

  /** Points of what pulls along paths, now. */
  strandPoints() {
    return this.#mixed(this.strands.points);
  }

  /** How much each of them is activated, from 0 to 1; null if nothing ever is. */
  strandLevels() {
    return this.strands.levels ? this.#mixed(this.strands.levels, 1 / 255) : null;
  }

  #blend(body, i, j, s) {
    const d = this.data;
    const a = 7 * (i * this.count + body);
    const b = 7 * (j * this.count + body);
    let dot = 0;
    for (let k = 3; k < 7; k++) dot += d[a + k] * d[b + k];
    const r = 1 - s;
    const sign = dot < 0 ? -s : s; // q and -q are the same rotation: blend along the shorter arc
    writeRows(
      this.rows, 12 * body,
      r * d[a] + s * d[b], r * d[a + 1] + s * d[b + 1], r * d[a + 2] + s * d[b + 2],
      r * d[a + 3] + sign * d[b + 3], r * d[a + 4] + sign * d[b + 4],
      r * d[a + 5] + sign * d[b + 5], r * d[a + 6] + sign * d[b + 6],
    );
  }

  /** World positions of a body's point over the last seconds, oldest first, at most `most` of them. */
  history(body, point, seconds, out, most) {
    const last = this.frame;
    const first = Math.max(frameAt(this.times, this.time - seconds), last - most + 2);
    const saved = this.time;
    let n = 0;
    for (let i = first; i <= last; i++) n = this.#place(body, i, i, 0, point, out, n);
    const j = Math.min(last + 1, this.frames - 1);
    const span = this.times[j] - this.times[last];
    if (span > 0) n = this.#place(body, last, j, Math.max(0, (saved - this.times[last]) / span), point, out, n);
    return n;
  }

  #place(body, i, j, s, point, out, n) {
    this.#blend(body, i, j, s);
    const m = this.rows;
    const at = 12 * body;
    for (let k = 0; k < 3; k++) {
      const row = at + 4 * k;
      out[3 * n + k] = m[row] * point.x + m[row + 1] * point.y + m[row + 2] * point.z + m[row + 3];
    }
    return n + 1;
  }

  get knowsForces() {
    return Boolean(this.contacts?.forces);
  }

  contactPoints() {
    return this.#touching("points");
  }

  /** Forces at the contact points now, as shares of one that is drawn at full length; null where they are not known. */
  contactForces() {
    return this.#touching("forces");
  }

  #touching(what) {
    const rows = this.contacts?.[what];
    if (!rows) return null;
    const i = this.frame;
    return rows.subarray(3 * this.contacts.starts[i], 3 * this.contacts.starts[i + 1]);
  }

  /** Energy series for the plot. */
  series() {
    if (!this.energySeries) return null;
    return { times: this.times, ...this.energySeries, from: this.start, to: this.end, now: this.time };
  }

  /** Call visit() with the poses of a few frames spread over the whole motion, of all variants. */
  survey(visit, samples = 48) {
    const { time, variant } = this;
    const each = Math.max(Math.min(6, samples), Math.ceil(samples / this.variants.length));
    for (let i = 0; i < this.variants.length; i++) {
      this.choose(i);
      for (let k = 0; k < each; k++) {
        this.time = this.start + ((this.end - this.start) * k) / Math.max(1, each - 1);
        visit(this.poses());
      }
    }
    this.choose(variant);
    this.seek(time);
  }
}
