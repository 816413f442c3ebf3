// Muscles, cables, springs: round strands along their paths, all in one geometry that is made anew with each pose.
import * as THREE from "three";

const RINGS = 40; // along a strand
const TURNS = 9; // of a spring
const PER_TURN = 14; // rings
const MOST = 16000; // rings of all strands; where there are more, each has fewer
const FEWEST = 8; // of one
const LEAD = 0.08; // straight ends of a spring, in lengths of it
const WIRE = 0.16; // radius of a spring's wire, in radii of the spring
const GAP = 0.35; // largest radius of the wire, in distances of turns: a pressed spring keeps its turns apart
const COLORS = { rest: "#b4686a", full: "#e3222f", sinew: "#ece3d2", cable: "#5b6472", wire: "#b3bdca", tube: "#4d5766", rod: "#cfd6df", rubber: "#3b424e" };
const ENDS = 0.3; // radius of a muscle's sinews, in radii of its belly
const FROM = 0.06; // where a belly begins and where it has its full thickness, in lengths of the strand
const TO = 0.42;
const ROD = 0.4; // radius of a damper's rod, in radii of its tube

function smooth(from, to, x) {
  const s = Math.min(1, Math.max(0, (x - from) / (to - from)));
  return s * s * (3 - 2 * s);
}

/** How much of a muscle's belly there is at a share s of its length: 0 in its sinews, 1 in the middle. */
export function belly(s) {
  return smooth(FROM, TO, s) * smooth(FROM, TO, 1 - s);
}

/** What strands look like at a share s of their length: how thick (1 is their radius), and of which two colours. */
const LOOKS = {
  muscle: (s) => ({ width: ENDS + (1 - ENDS) * belly(s), from: "sinew", to: "flesh", share: belly(s) }),
  cable: () => ({ width: 1, from: "cable", to: "cable", share: 0 }),
  spring: () => ({ width: 1, from: "wire", to: "wire", share: 0 }),
  damper: (s) => ({ width: 1 - (1 - ROD) * smooth(0.5, 0.53, s), from: "tube", to: "rod", share: smooth(0.5, 0.53, s) }),
  bushing: (s) => ({ width: 0.75 + 0.25 * smooth(0, 0.2, s) * smooth(0, 0.2, 1 - s), from: "rubber", to: "rubber", share: 0 }),
};

/** A coil of a radius between two points (x y z in a flat array, from `at`), as points of its wire. */
export function coil(points, at, radius, out, rings) {
  const from = new THREE.Vector3().fromArray(points, 3 * at);
  const way = new THREE.Vector3().fromArray(points, 3 * at + 3).sub(from);
  const along = way.clone().normalize();
  const n = new THREE.Vector3(0.36, 0.48, 0.8);
  n.addScaledVector(along, -n.dot(along)).normalize();
  const b = new THREE.Vector3().crossVectors(along, n);
  const p = new THREE.Vector3();
  for (let r = 0; r < rings; r++) {
    const s = r / (rings - 1);
    const turned = Math.min(1, Math.max(0, (s - LEAD) / (1 - 2 * LEAD)));
    const wide = radius * smooth(0, 0.5 / TURNS, turned) * smooth(0, 0.5 / TURNS, 1 - turned);
    const angle = 2 * Math.PI * TURNS * turned;
    p.copy(from).addScaledVector(way, s).addScaledVector(n, wide * Math.cos(angle)).addScaledVector(b, wide * Math.sin(angle));
    p.toArray(out, 3 * r);
  }
  return Math.min(WIRE * radius, (GAP * way.length() * (1 - 2 * LEAD)) / TURNS);
}

/** How many rings each strand has. */
export function ringCounts(list) {
  const wanted = list.map(({ kind }) => (kind === "spring" ? TURNS * PER_TURN : RINGS));
  const share = Math.min(1, MOST / wanted.reduce((sum, n) => sum + n, 0));
  return wanted.map((n) => Math.max(FEWEST, Math.round(share * n)));
}

/** Evenly spread points along a line of points (x y z in a flat array, from `at`, `count` of them); false if it has no length. */
export function spread(points, at, count, out, rings) {
  const along = [0];
  for (let i = 1; i < count; i++) {
    const k = 3 * (at + i);
    along.push(along[i - 1] + Math.hypot(points[k] - points[k - 3], points[k + 1] - points[k - 2], points[k + 2] - points[k - 1]));
  }
  const length = along[count - 1];
  if (!(length > 0 && length < Infinity)) return false;
  let i = 0;
  for (let r = 0; r < rings; r++) {
    const s = (length * r) / (rings - 1);
    while (i < count - 2 && along[i + 1] < s) i += 1;
    const part = along[i + 1] > along[i] ? Math.min(1, (s - along[i]) / (along[i + 1] - along[i])) : 0;
    for (let c = 0; c < 3; c++) {
      const k = 3 * (at + i) + c;
      out[3 * r + c] = points[k] + part * (points[k + 3] - points[k]);
    }
  }
  return true;
}

export class Strands {
  constructor(scene, root, lite) {
    this.list = scene.pulling ?? [];
    this.sides = lite ? 6 : 10;
    this.around = Array.from({ length: this.sides }, (_, k) => (2 * Math.PI * k) / this.sides).flatMap((x) => [Math.cos(x), Math.sin(x)]);
    this.starts = [];
    this.list.reduce((sum, { points }) => (this.starts.push(sum), sum + points), 0);
    this.rings = ringCounts(this.list);
    this.first = []; // number of the first ring of each strand; two more close it
    this.total = this.rings.reduce((sum, n) => (this.first.push(sum), sum + n + 2), 0);
    this.line = new Float64Array(3 * Math.max(0, ...this.rings));
    this.colors = Object.fromEntries(Object.entries(COLORS).map(([name, color]) => [name, new THREE.Color(color)]));
    const common = { color: "#fff", vertexColors: true };
    const material = lite
      ? new THREE.MeshPhongMaterial({ ...common, shininess: 40, specular: "#2a2a2a" })
      : new THREE.MeshPhysicalMaterial({ ...common, roughness: 0.5, clearcoat: 0.25, clearcoatRoughness: 0.4 });
    this.mesh = new THREE.Mesh(this.#geometry(), material);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.group = new THREE.Group().add(this.mesh);
    this.group.visible = this.available;
    root.add(this.group);
  }

  get available() {
    return this.list.length > 0;
  }

  /** Rings of vertices; the first and the last one are points that close the strand. */
  #geometry() {
    const { sides } = this;
    const geometry = new THREE.BufferGeometry();
    const size = this.total * sides;
    for (const name of ["position", "normal", "color"]) {
      geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * size), 3).setUsage(THREE.DynamicDrawUsage));
    }
    const index = [];
    this.rings.forEach((rings, i) => {
      for (let r = 0; r < rings + 1; r++) {
        const at = (this.first[i] + r) * sides;
        for (let k = 0; k < sides; k++) {
          const [a, b] = [at + k, at + ((k + 1) % sides)];
          index.push(a, b, a + sides, b, b + sides, a + sides);
        }
      }
    });
    geometry.setIndex(index);
    return geometry;
  }

  /** Bring all strands in line with the source. */
  update(source) {
    if (!this.group.visible) return;
    const points = source.strandPoints();
    const levels = source.strandLevels();
    this.list.forEach((strand, i) => {
      const there = spread(points, this.starts[i], strand.points, this.line, this.rings[i]);
      const coiled = there && strand.kind === "spring";
      const radius = coiled ? coil(points, this.starts[i], strand.radius, this.line, this.rings[i]) : strand.radius;
      this.#ring(i, strand.kind, there ? radius : 0, levels ? levels[i] : 0);
    });
    for (const attribute of Object.values(this.mesh.geometry.attributes)) attribute.needsUpdate = true;
  }

  /** Ends of strands (of some of many) as they are now, turned: what a picture should show beside the bodies. */
  outline(source, turn) {
    if (!this.available) return [];
    const points = source.strandPoints();
    const stride = Math.ceil(this.list.length / 200);
    const chosen = this.list.map((strand, i) => [this.starts[i], this.starts[i] + strand.points - 1]).filter((_, i) => i % stride === 0);
    const ends = chosen.flat().map((at) => new THREE.Vector3().fromArray(points, 3 * at).applyQuaternion(turn).toArray());
    return ends.filter((end) => end.every(Number.isFinite));
  }

  /** Rings of one strand around its line, turned as little as may be from one to the next. */
  #ring(i, kind, radius, level) {
    const { line, colors } = this;
    const [rings, first] = [this.rings[i], this.first[i]];
    colors.flesh = colors.rest.clone().lerp(colors.full, level);
    const color = new THREE.Color();
    const [t, n, b, p] = [0, 0, 0, 0].map(() => new THREE.Vector3());
    n.set(0.36, 0.48, 0.8);
    for (let r = 0; r < rings; r++) {
      const [before, after] = [3 * Math.max(0, r - 1), 3 * Math.min(rings - 1, r + 1)];
      t.set(line[after] - line[before], line[after + 1] - line[before + 1], line[after + 2] - line[before + 2]).normalize();
      n.addScaledVector(t, -n.dot(t));
      if (n.lengthSq() < 1e-12) n.set(t.y, t.z, t.x).addScaledVector(t, -(t.x * t.y + t.y * t.z + t.z * t.x));
      n.normalize();
      b.crossVectors(t, n);
      p.fromArray(line, 3 * r);
      const look = LOOKS[kind](r / (rings - 1));
      color.lerpColors(colors[look.from], colors[look.to], look.share);
      this.#vertices(first + r + 1, p, n, b, t, radius * look.width, color, 0);
      if (r === 0) this.#vertices(first, p, n, b, t, 0, color, -1);
      if (r === rings - 1) this.#vertices(first + rings + 1, p, n, b, t, 0, color, 1);
    }
  }

  /** One ring; `cap` is the way that a closing point looks, along the strand. */
  #vertices(ring, p, n, b, t, width, color, cap) {
    const { position, normal, color: colors } = this.mesh.geometry.attributes;
    for (let k = 0; k < this.sides; k++) {
      const at = ring * this.sides + k;
      const c = this.around[2 * k];
      const s = this.around[2 * k + 1];
      const x = c * n.x + s * b.x;
      const y = c * n.y + s * b.y;
      const z = c * n.z + s * b.z;
      position.setXYZ(at, p.x + width * x, p.y + width * y, p.z + width * z);
      if (cap) normal.setXYZ(at, cap * t.x, cap * t.y, cap * t.z);
      else normal.setXYZ(at, x, y, z);
      colors.setXYZ(at, color.r, color.g, color.b);
    }
  }
}
