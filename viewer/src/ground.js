// The floor: a grid that fades into the background, and the shadows on it.
import * as THREE from "three";

const VERTEX = `
  varying vec2 place;
  void main() {
    place = position.xy;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;

const FRAGMENT = `
  varying vec2 place;
  uniform float cell;
  uniform float reach;
  uniform vec3 ink;
  uniform float strength;
  float lines(float spacing, float width) {
    vec2 p = place / spacing;
    vec2 w = fwidth(p);
    vec2 d = abs(fract(p - 0.5) - 0.5);
    vec2 a = 1.0 - smoothstep(w * max(0.0, width - 1.0) * 0.5, w * (width + 1.0) * 0.5, d);
    a *= 1.0 - smoothstep(0.12, 0.45, w);
    return max(a.x, a.y);
  }
  void main() {
    float fade = 1.0 - smoothstep(0.15, 1.0, length(place) / reach);
    float a = max(0.45 * lines(cell, 1.0), lines(cell * 5.0, 1.2));
    gl_FragColor = vec4(ink, a * fade * strength);
  }`;

/** Largest of 1, 2, 5 times a power of ten that is not above x. */
function niceBelow(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const mantissa = x / power;
  return power * (mantissa >= 5 ? 5 : mantissa >= 2 ? 2 : 1);
}

export class Ground {
  constructor() {
    this.group = new THREE.Group();
    this.uniforms = {
      cell: { value: 1 }, reach: { value: 10 }, ink: { value: new THREE.Color() }, strength: { value: 0.3 },
    };
    const grid = new THREE.ShaderMaterial({
      uniforms: this.uniforms, vertexShader: VERTEX, fragmentShader: FRAGMENT,
      transparent: true, depthWrite: false, side: THREE.DoubleSide,
    });
    this.grid = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), grid);
    this.shade = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), new THREE.ShadowMaterial({ opacity: 0.2, depthWrite: false }));
    this.shade.receiveShadow = true;
    this.grid.renderOrder = -1;
    this.shade.renderOrder = -2;
    this.group.add(this.shade, this.grid);
  }

  /** Lay the floor under a box whose largest half-extent is size. */
  place(height, center, size) {
    const reach = 7 * size;
    this.grid.geometry.dispose();
    this.shade.geometry.dispose();
    const scaled = new THREE.PlaneGeometry(2 * reach, 2 * reach);
    this.grid.geometry = scaled;
    this.shade.geometry = scaled;
    this.uniforms.reach.value = reach;
    this.uniforms.cell.value = niceBelow(size / 2.5);
    const major = 5 * this.uniforms.cell.value; // keep grid lines on round coordinates
    this.group.position.set(Math.round(center.x / major) * major, Math.round(center.y / major) * major, height);
  }

  setTheme(dark) {
    this.uniforms.ink.value.set(dark ? "#93a4c8" : "#4a5672");
    this.uniforms.strength.value = dark ? 0.4 : 0.36;
    this.shade.material.opacity = dark ? 0.5 : 0.2;
  }
}
