// Marks on demand: a frame on every body, a dot at every contact, an arrow for its force.
import * as THREE from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";

const UP = new THREE.Vector3(0, 1, 0);
const ARROW = 18; // radii of a dot that a force of 1 is long
const LONGEST = 3;

function arrow(direction, color) {
  const shaft = new THREE.CylinderGeometry(0.022, 0.022, 0.82, 10).translate(0, 0.41, 0);
  const head = new THREE.ConeGeometry(0.06, 0.2, 14).translate(0, 0.9, 0);
  const geometry = mergeGeometries([shaft, head]);
  geometry.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(UP, direction));
  const { r, g, b } = new THREE.Color(color);
  const count = geometry.attributes.position.count;
  const colors = new Float32Array(3 * count);
  for (let i = 0; i < count; i++) colors.set([r, g, b], 3 * i);
  geometry.setAttribute("color", new THREE.BufferAttribute(colors, 3));
  return geometry;
}

export class Frames {
  constructor(bodies, root) {
    const triad = mergeGeometries([
      arrow(new THREE.Vector3(1, 0, 0), "#f0435a"),
      arrow(new THREE.Vector3(0, 1, 0), "#2fb36d"),
      arrow(new THREE.Vector3(0, 0, 1), "#3f7df6"),
    ]);
    this.bodies = bodies;
    const material = new THREE.MeshBasicMaterial({ vertexColors: true, depthTest: false, transparent: true, opacity: 0.92 });
    this.mesh = new THREE.InstancedMesh(triad, material, bodies.groups.length);
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
    this.mesh.renderOrder = 5;
    this.scale = new THREE.Vector3(1, 1, 1);
    root.add(this.mesh);
  }

  setSize(size) {
    this.scale.setScalar(size);
  }

  update() {
    if (!this.mesh.visible) return;
    const matrix = new THREE.Matrix4();
    this.bodies.groups.forEach((group, i) => this.mesh.setMatrixAt(i, matrix.copy(group.matrix).scale(this.scale)));
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

export class Contacts {
  constructor(source, root) {
    const most = source.mostContacts;
    const material = new THREE.MeshBasicMaterial({ color: "#ff8a1f", depthTest: false, transparent: true, opacity: 0.95 });
    this.mesh = new THREE.InstancedMesh(new THREE.SphereGeometry(1, 20, 14), material, Math.max(1, most));
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
    this.mesh.renderOrder = 6;
    this.available = most > 0;
    this.size = 0.02;
    root.add(this.mesh);
    this.arrows = source.knowsForces ? this.#forces(Math.max(1, most)) : null;
  }

  /** Arrows that go with the dots. */
  #forces(most) {
    const material = new THREE.MeshBasicMaterial({ vertexColors: true, depthTest: false, transparent: true, opacity: 0.92 });
    const arrows = new THREE.InstancedMesh(arrow(UP, "#ff8a1f"), material, most);
    arrows.frustumCulled = false;
    arrows.renderOrder = 6;
    this.mesh.add(arrows);
    return arrows;
  }

  setSize(size) {
    this.size = size;
  }

  update(source) {
    if (!this.mesh.visible) return;
    const points = source.contactPoints() ?? [];
    const matrix = new THREE.Matrix4();
    this.mesh.count = points.length / 3;
    for (let i = 0; i < this.mesh.count; i++) {
      matrix.makeScale(this.size, this.size, this.size).setPosition(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
      this.mesh.setMatrixAt(i, matrix);
    }
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.arrows) this.#point(points, source.contactForces());
  }

  #point(points, forces) {
    const [matrix, turn, force, at, scale] = [new THREE.Matrix4(), new THREE.Quaternion(), ...[0, 0, 0].map(() => new THREE.Vector3())];
    this.arrows.count = this.mesh.count;
    for (let i = 0; i < this.arrows.count; i++) {
      force.fromArray(forces, 3 * i);
      const length = Math.min(force.length(), LONGEST) * ARROW * this.size;
      turn.setFromUnitVectors(UP, force.lengthSq() > 0 ? force.normalize() : UP);
      this.arrows.setMatrixAt(i, matrix.compose(at.fromArray(points, 3 * i), turn, scale.set(ARROW * this.size, length, ARROW * this.size)));
    }
    this.arrows.instanceMatrix.needsUpdate = true;
  }
}
