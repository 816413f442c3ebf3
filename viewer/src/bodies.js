// Bodies: one group per body, posed by a 3 x 4 matrix each frame.
import * as THREE from "three";
import { geometryMaker } from "./shapes.js";

function materialMaker(lite) {
  const known = new Map();
  return (color, opacity = 1) => {
    const key = `${color}/${opacity}`;
    if (!known.has(key)) {
      const common = { color, roughness: 0.42, metalness: 0.02, transparent: opacity < 1, opacity, depthWrite: opacity === 1 };
      if (opacity < 1) common.side = THREE.DoubleSide;
      const material = lite
        ? new THREE.MeshLambertMaterial({ color, transparent: opacity < 1, opacity, side: common.side ?? THREE.FrontSide, depthWrite: common.depthWrite })
        : new THREE.MeshPhysicalMaterial({ ...common, clearcoat: 0.35, clearcoatRoughness: 0.3 });
      known.set(key, material);
    }
    return known.get(key);
  };
}

function addShapes(group, shapes, color, geometryOf, materialOf) {
  for (const shape of shapes) {
    const opacity = shape.opacity ?? 1;
    const mesh = new THREE.Mesh(geometryOf(shape), materialOf(shape.color ?? color, opacity));
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
    const geometryOf = geometryMaker(!lite);
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
