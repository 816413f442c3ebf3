// Muscles, cables and tendons: round strands along their paths, all in one geometry that is made anew with each pose.
import * as THREE from "three";

const RINGS = 40; // along a strand
const COLORS = { rest: "#b4686a", full: "#e3222f", sinew: "#ece3d2", cable: "#5b6472" };
const ENDS = 0.3; // radius of a muscle's sinews, in radii of its belly
const FROM = 0.06; // where a belly begins and where it has its full thickness, in lengths of the strand
const TO = 0.42;

function smooth(from, to, x) {
  const s = Math.min(1, Math.max(0, (x - from) / (to - from)));
  return s * s * (3 - 2 * s);
}

/** How much of a muscle's belly there is at a share s of its length: 0 in its sinews, 1 in the middle. */
export function belly(s) {
  return smooth(FROM, TO, s) * smooth(FROM, TO, 1 - s);
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
    this.line = new Float64Array(3 * RINGS);
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
    const size = this.list.length * (RINGS + 2) * sides;
    for (const name of ["position", "normal", "color"]) {
      geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * size), 3).setUsage(THREE.DynamicDrawUsage));
    }
    const index = [];
    for (let strand = 0; strand < this.list.length; strand++) {
      for (let r = 0; r < RINGS + 1; r++) {
        const at = (strand * (RINGS + 2) + r) * sides;
        for (let k = 0; k < sides; k++) {
          const [a, b] = [at + k, at + ((k + 1) % sides)];
          index.push(a, b, a + sides, b, b + sides, a + sides);
        }
      }
    }
    geometry.setIndex(index);
    return geometry;
  }

  /** Bring all strands in line with the source. */
  update(source) {
    if (!this.group.visible) return;
    const points = source.strandPoints();
    const levels = source.strandLevels();
    this.list.forEach((strand, i) => {
      const there = spread(points, this.starts[i], strand.points, this.line, RINGS);
      this.#ring(i, there ? strand : { ...strand, radius: 0 }, levels ? levels[i] : 0);
    });
    for (const attribute of Object.values(this.mesh.geometry.attributes)) attribute.needsUpdate = true;
  }

  /** Rings of one strand around its line, turned as little as may be from one to the next. */
  #ring(i, { kind, radius }, level) {
    const { line } = this;
    const muscle = kind === "muscle";
    const flesh = new THREE.Color(COLORS.rest).lerp(new THREE.Color(COLORS.full), level);
    const [sinew, cable, color] = [new THREE.Color(COLORS.sinew), new THREE.Color(COLORS.cable), new THREE.Color()];
    const [t, n, b, p] = [0, 0, 0, 0].map(() => new THREE.Vector3());
    n.set(0.36, 0.48, 0.8);
    for (let r = 0; r < RINGS; r++) {
      const [before, after] = [3 * Math.max(0, r - 1), 3 * Math.min(RINGS - 1, r + 1)];
      t.set(line[after] - line[before], line[after + 1] - line[before + 1], line[after + 2] - line[before + 2]).normalize();
      n.addScaledVector(t, -n.dot(t));
      if (n.lengthSq() < 1e-12) n.set(t.y, t.z, t.x).addScaledVector(t, -(t.x * t.y + t.y * t.z + t.z * t.x));
      n.normalize();
      b.crossVectors(t, n);
      p.fromArray(line, 3 * r);
      const thick = muscle ? belly(r / (RINGS - 1)) : 1;
      color.copy(muscle ? sinew : cable).lerp(muscle ? flesh : cable, thick);
      const width = muscle ? radius * (ENDS + (1 - ENDS) * thick) : radius;
      this.#vertices(i * (RINGS + 2) + r + 1, p, n, b, t, width, color, 0);
      if (r === 0) this.#vertices(i * (RINGS + 2), p, n, b, t, 0, color, -1);
      if (r === RINGS - 1) this.#vertices(i * (RINGS + 2) + RINGS + 1, p, n, b, t, 0, color, 1);
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
