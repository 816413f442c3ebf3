// Bodies: one group per body, posed by a 3 x 4 matrix each frame.
import * as THREE from "three";
import { lightened } from "./contrast.js";
import { outermost } from "./fit.js";
import { geometryMaker } from "./shapes.js";

const CONTRAST = 3; // of a body against a dark sky, at least

/** Materials by colour and opacity, each made once. */
class Materials {
  constructor(lite) {
    this.lite = lite;
    this.known = new Map();
    this.shade = new THREE.ShadowMaterial({ opacity: 0.3, side: THREE.DoubleSide, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -1 });
  }

  of(color, opacity, sheet) {
    const key = `${color}/${opacity}/${sheet}`;
    if (!this.known.has(key)) {
      const side = sheet ? THREE.DoubleSide : THREE.FrontSide;
      const common = { color, opacity, side, transparent: opacity < 1, depthWrite: opacity === 1 };
      const material = this.lite
        ? new THREE.MeshPhongMaterial({ ...common, shininess: 50, specular: "#3a3a3a" })
        : new THREE.MeshPhysicalMaterial({ ...common, roughness: 0.42, metalness: 0.02, clearcoat: 0.35, clearcoatRoughness: 0.3 });
      this.known.set(key, { material, color: `#${material.color.getHexString()}` });
    }
    return this.known.get(key).material;
  }

  /** On a dark sky dark colours are lightened until they can be seen; `sky` is its brightest place, or null. */
  setSky(sky) {
    for (const { material, color } of this.known.values()) material.color.set(sky ? lightened(color, sky, CONTRAST) : color);
  }
}

function addShapes(group, shapes, color, geometryOf, materials) {
  for (const shape of shapes) {
    const opacity = shape.opacity ?? 1;
    const mesh = new THREE.Mesh(geometryOf(shape), materials.of(shape.color ?? color, opacity, shape.type === "mesh"));
    if (shape.pose) setRows(mesh.matrix, shape.pose, 0);
    mesh.matrixAutoUpdate = false;
    mesh.castShadow = opacity > 0.6;
    mesh.receiveShadow = opacity === 1;
    group.add(mesh);
    if (opacity < 1 && !materials.lite) group.add(shadowOn(mesh, materials.shade));
  }
}

/** What is seen through keeps its shadows: the sheet once more, as nothing but the shadow that falls on it. */
function shadowOn(sheet, material) {
  const shade = new THREE.Mesh(sheet.geometry, material);
  shade.matrix = sheet.matrix;
  shade.matrixAutoUpdate = false;
  shade.receiveShadow = true;
  shade.renderOrder = 1;
  return shade;
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
    const geometryOf = geometryMaker((lite ? 0.45 : 1) * Math.max(0.3, crowd), scene.meshes);
    this.materials = new Materials(lite);
    this.info = scene.bodies;
    this.groups = scene.bodies.map((body, index) => {
      const group = new THREE.Group();
      group.matrixAutoUpdate = false;
      group.userData.body = index;
      addShapes(group, body.shapes, body.color, geometryOf, this.materials);
      root.add(group);
      return group;
    });
    this.fixed = this.#still(scene.fixed ?? [], geometryOf, root);
    this.ofVariants = (scene.variants?.items ?? []).map(({ fixed }) => this.#still(fixed ?? [], geometryOf, root));
    this.showVariant(this.ofVariants.length - 1);
    this.boxes = this.groups.map((group) => localBox(group));
    this.outlines = this.groups.map((group) => outlineOf(group.children));
    this.traced = this.boxes.map(tracedPoint);
    const isParent = new Set(scene.bodies.map((body) => body.parent));
    this.leaves = scene.bodies.map((_, i) => i).filter((i) => !isParent.has(i));
  }

  #still(shapes, geometryOf, root) {
    const group = new THREE.Group();
    addShapes(group, shapes, "#9aa3b2", geometryOf, this.materials);
    root.add(group);
    return group;
  }

  /** Of what stands still in some variants alone, show that of this one. */
  showVariant(variant) {
    this.ofVariants.forEach((group, i) => (group.visible = i === variant));
  }

  /** Pose every body from a row-major 3 x 4 matrix per body. */
  setPoses(rows) {
    this.groups.forEach((group, i) => {
      setRows(group.matrix, rows, 12 * i);
      group.matrixWorldNeedsUpdate = true;
    });
  }

  /** The colour in which a body is shown now. */
  colorOf(body) {
    const [first] = this.groups[body].children;
    return first ? `#${first.material.color.getHexString()}` : this.info[body].color;
  }

  /** Outermost points of the bodies at their present poses, in world coordinates; of very many bodies only some. */
  outline(turn) {
    const stride = Math.ceil(this.groups.length / 200);
    const out = [];
    const p = new THREE.Vector3();
    for (let i = 0; i < this.groups.length; i += stride) {
      for (const point of this.outlines[i]) out.push(p.set(...point).applyMatrix4(this.groups[i].matrix).applyQuaternion(turn).toArray());
    }
    return out;
  }

  /** The same of each thing that stands still. */
  fixedOutlines(turn) {
    const meshes = [this.fixed, ...this.ofVariants].flatMap((group) => group.children);
    return meshes.map((mesh) => ({ mesh, points: outlineOf([mesh]).map((point) => new THREE.Vector3(...point).applyQuaternion(turn).toArray()) }));
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

/** Outermost vertices of meshes in the frame of their group; its origin if there are none. */
function outlineOf(meshes) {
  const points = [];
  const p = new THREE.Vector3();
  for (const mesh of meshes) {
    const { position } = mesh.geometry.attributes;
    const stride = Math.max(1, Math.floor(position.count / 2000)); // fine meshes: every so many vertices will do
    for (let i = 0; i < position.count; i += stride) points.push(p.fromBufferAttribute(position, i).applyMatrix4(mesh.matrix).toArray());
  }
  return points.length ? outermost(points, 26) : [[0, 0, 0]];
}
