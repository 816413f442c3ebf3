// Trails: ribbons of constant width on the screen that fade with age.
import * as THREE from "three";

const MOST = 360;

const VERTEX = `
  attribute vec3 next;
  attribute float side;
  attribute float age;
  uniform vec2 screen;
  uniform float width;
  varying float fresh;
  void main() {
    vec4 a = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    vec4 b = projectionMatrix * modelViewMatrix * vec4(next, 1.0);
    vec2 along = (b.xy / b.w - a.xy / a.w) * screen;
    float l = length(along);
    vec2 across = l > 1e-6 ? vec2(-along.y, along.x) / l : vec2(0.0, 1.0);
    a.xy += across * side * width * mix(0.35, 1.0, age) / screen * a.w;
    fresh = age;
    gl_Position = a;
  }`;

const FRAGMENT = `
  uniform vec3 color;
  varying float fresh;
  void main() { gl_FragColor = vec4(color, 0.85 * fresh * fresh); }`;

class Ribbon {
  constructor(screen) {
    const attribute = (size) => new THREE.BufferAttribute(new Float32Array(2 * MOST * size), size).setUsage(THREE.DynamicDrawUsage);
    this.geometry = new THREE.BufferGeometry();
    for (const [name, size] of [["position", 3], ["next", 3], ["side", 1], ["age", 1]]) {
      this.geometry.setAttribute(name, attribute(size));
    }
    const index = [];
    for (let i = 0; i + 1 < MOST; i++) index.push(2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 2, 2 * i + 1, 2 * i + 3);
    this.geometry.setIndex(index);
    this.material = new THREE.ShaderMaterial({
      uniforms: { screen, width: { value: 2.6 }, color: { value: new THREE.Color() } },
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false, side: THREE.DoubleSide,
    });
    this.mesh = new THREE.Mesh(this.geometry, this.material);
    this.mesh.frustumCulled = false;
  }

  setColor(color) {
    this.material.uniforms.color.value.set(color).lerp(new THREE.Color("#fff"), 0.1);
  }

  dispose() {
    this.mesh.removeFromParent();
    this.geometry.dispose();
    this.material.dispose();
  }

  /** Show n points (x y z in a flat array), oldest first. */
  set(points, n) {
    const { position, next, side, age } = this.geometry.attributes;
    for (let i = 0; i < n; i++) {
      const j = Math.min(i + 1, n - 1);
      const k = i === j ? Math.max(0, i - 1) : i;
      for (const edge of [0, 1]) {
        const at = 2 * i + edge;
        position.setXYZ(at, points[3 * i], points[3 * i + 1], points[3 * i + 2]);
        for (let c = 0; c < 3; c++) next.array[3 * at + c] = points[3 * i + c] + points[3 * j + c] - points[3 * k + c];
        side.array[at] = edge ? 1 : -1;
        age.array[at] = (i + 1) / n;
      }
    }
    for (const attribute of [position, next, side, age]) attribute.needsUpdate = true;
    this.geometry.setDrawRange(0, Math.max(0, 6 * (n - 1)));
  }
}

export class Trails {
  constructor(bodies, root) {
    this.bodies = bodies;
    this.group = new THREE.Group();
    this.group.visible = false;
    this.screen = { value: new THREE.Vector2(1, 1) };
    this.points = new Float32Array(3 * MOST);
    this.ribbons = new Map();
    this.show(bodies.leaves.slice(0, 12));
    root.add(this.group);
  }

  /** Trace these bodies and no others. */
  show(indices) {
    for (const [body, ribbon] of this.ribbons) {
      if (indices.includes(body)) continue;
      ribbon.dispose();
      this.ribbons.delete(body);
    }
    for (const body of indices) {
      if (this.ribbons.has(body)) continue;
      const ribbon = new Ribbon(this.screen);
      ribbon.setColor(this.bodies.colorOf(body));
      this.ribbons.set(body, ribbon);
      this.group.add(ribbon.mesh);
    }
  }

  /** Take up the colours that the bodies have now. */
  recolor() {
    for (const [body, ribbon] of this.ribbons) ribbon.setColor(this.bodies.colorOf(body));
  }

  update(source, canvas, seconds = 2.5) {
    if (!this.group.visible) return;
    this.screen.value.set(canvas.clientWidth, canvas.clientHeight);
    for (const [body, ribbon] of this.ribbons) {
      ribbon.set(this.points, source.history(body, this.bodies.traced[body], seconds, this.points, MOST));
    }
  }
}
