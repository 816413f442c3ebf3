// Bodies: one group per body, posed by a 3 x 4 matrix each frame.
import * as THREE from "three";
import { geometryMaker } from "./shapes.js";

function materialMaker(lite) {
  const known = new Map();
  return (color, opacity, sheet) => {
    const key = `${color}/${opacity}/${sheet}`;
    if (!known.has(key)) {
      const side = sheet ? THREE.DoubleSide : THREE.FrontSide;
      const common = { color, opacity, side, transparent: opacity < 1, depthWrite: opacity === 1 };
      const material = lite
        ? new THREE.MeshPhongMaterial({ ...common, shininess: 50, specular: "#3a3a3a" })
        : new THREE.MeshPhysicalMaterial({ ...common, roughness: 0.42, metalness: 0.02, clearcoat: 0.35, clearcoatRoughness: 0.3 });
      known.set(key, material);
    }
    return known.get(key);
  };
}

function addShapes(group, shapes, color, geometryOf, materialOf) {
  for (const shape of shapes) {
    const opacity = shape.opacity ?? 1;
    const mesh = new THREE.Mesh(geometryOf(shape), materialOf(shape.color ?? color, opacity, shape.type === "mesh"));
    if (shape.pose) setRows(mesh.matrix, shape.pose, 0);
    mesh.matrixAutoUpdate = false;
    mesh.castShadow = opacity > 0.6;
    mesh.receiveShadow = opacity === 1;
    group.add(mesh);
  }
}

/** Set a Matrix4 from a row-major 3 x 4 block of an array. */
export function setRows(matrix, rows, at) {
  matrix.set(
    rows[at], rows[at + 1], rows[at + 2], rows[at + 3],
    rows[at + 4], rows[at + 5], rows[at + 6], rows[at + 7],
    rows[at + 8], rows[at + 9], rows[at + 10], rows[at + 11],
    0, 0, 0, 1,
  );
}

/** Point of a body worth tracing: its far end when it hangs from its joint, else its middle. */
function tracedPoint(box) {
  if (box.isEmpty()) return new THREE.Vector3();
  const middle = box.getCenter(new THREE.Vector3());
  const extent = box.getSize(new THREE.Vector3()).length();
  return middle.length() > 0.3 * extent ? middle.multiplyScalar(2) : middle;
}

export class Bodies {
  constructor(scene, root, lite) {
    const count = scene.bodies.reduce((sum, body) => sum + body.shapes.length, 1);
    const crowd = Math.min(1, Math.sqrt(150 / count)); // of a thousand bodies each is small on the screen
    const geometryOf = geometryMaker((lite ? 0.45 : 1) * Math.max(0.3, crowd));
    const materialOf = materialMaker(lite);
    this.info = scene.bodies;
    this.groups = scene.bodies.map((body, index) => {
      const group = new THREE.Group();
      group.matrixAutoUpdate = false;
      group.userData.body = index;
      addShapes(group, body.shapes, body.color, geometryOf, materialOf);
      root.add(group);
      return group;
    });
    this.fixed = new THREE.Group();
    addShapes(this.fixed, scene.fixed ?? [], "#9aa3b2", geometryOf, materialOf);
    root.add(this.fixed);
    this.boxes = this.groups.map((group) => localBox(group));
    this.traced = this.boxes.map(tracedPoint);
    const isParent = new Set(scene.bodies.map((body) => body.parent));
    this.leaves = scene.bodies.map((_, i) => i).filter((i) => !isParent.has(i));
  }

  /** Pose every body from a row-major 3 x 4 matrix per body. */
  setPoses(rows) {
    this.groups.forEach((group, i) => {
      setRows(group.matrix, rows, 12 * i);
      group.matrixWorldNeedsUpdate = true;
    });
  }

  /** A sphere [x, y, z, r] around every body at its present pose; of very many bodies only some. */
  spheres() {
    const stride = Math.ceil(this.groups.length / 200);
    const out = [];
    for (let i = 0; i < this.groups.length; i += stride) {
      const box = this.boxes[i];
      const center = box.isEmpty() ? new THREE.Vector3() : box.getCenter(new THREE.Vector3());
      const radius = box.isEmpty() ? 0 : 0.45 * box.getSize(new THREE.Vector3()).length();
      center.applyMatrix4(this.groups[i].matrix);
      out.push([center.x, center.y, center.z, radius]);
    }
    return out;
  }

  /** Grow a box by all bodies at their present poses. */
  growBox(box) {
    const local = new THREE.Box3();
    this.groups.forEach((group, i) => {
      if (!this.boxes[i].isEmpty()) box.union(local.copy(this.boxes[i]).applyMatrix4(group.matrix));
      else box.expandByPoint(new THREE.Vector3().setFromMatrixPosition(group.matrix));
    });
  }
}

function localBox(group) {
  const box = new THREE.Box3();
  const part = new THREE.Box3();
  for (const mesh of group.children) {
    if (!mesh.geometry.boundingBox) mesh.geometry.computeBoundingBox();
    box.union(part.copy(mesh.geometry.boundingBox).applyMatrix4(mesh.matrix));
  }
  return box;
}

/** Box of the bodies that do not move. */
export function fixedBox(bodies) {
  return localBox(bodies.fixed);
}

/** The corners of a box as spheres without size. */
export function cornerSpheres(box) {
  const ends = [box.min, box.max];
  return [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [ends[k & 1].x, ends[(k >> 1) & 1].y, ends[k >> 2].z, 0]);
}
