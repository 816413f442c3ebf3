// Shapes of the scene as three.js geometries; equal shapes share one geometry.
import * as THREE from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import { mergeGeometries, toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { decode } from "./data.js";

const Z_FROM_Y = new THREE.Matrix4().makeRotationX(Math.PI / 2); // three.js builds cylinders along y, we along z

function tube({ points, radius, closed }, sides) {
  const xyz = decode(points);
  const path = [];
  for (let i = 0; i < xyz.length; i += 3) path.push(new THREE.Vector3(xyz[i], xyz[i + 1], xyz[i + 2]));
  if (closed) path.pop(); // the scene repeats the first point
  const curve = new THREE.CatmullRomCurve3(path, closed, "centripetal");
  const around = sides(14);
  const body = new THREE.TubeGeometry(curve, Math.min(1200, Math.max(24, path.length * 2)), radius, around, closed);
  if (closed) return body;
  const cap = (p) => new THREE.SphereGeometry(radius, around, around).translate(p.x, p.y, p.z);
  return mergeGeometries([body, cap(path[0]), cap(path.at(-1))]);
}

/** A cylinder with slightly rounded rims: they catch the light. */
function cylinder({ radius, length }, sides) {
  const rim = Math.min(0.06 * radius, 0.1 * length);
  const half = length / 2;
  const profile = [[0, -half], [radius - rim, -half], [radius - 0.3 * rim, -half + 0.3 * rim], [radius, -half + rim]];
  const mirrored = profile.map(([r, z]) => [r, -z]).reverse();
  const points = [...profile, ...mirrored].map(([r, z]) => new THREE.Vector2(r, z));
  return toCreasedNormals(new THREE.LatheGeometry(points, sides(72)).applyMatrix4(Z_FROM_Y), 0.5);
}

function mesh({ mesh: number }, sides, meshes) {
  const { positions, corners } = meshes[number];
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
  geometry.setIndex(new THREE.BufferAttribute(corners, 1));
  return toCreasedNormals(geometry, 0.6); // round things look round, edges of polyhedra stay sharp
}

// Each takes the shape, a function that says how many sides to use where `n` would be fine, and the scene's meshes.
const BUILDERS = {
  box: ({ size }) => new RoundedBoxGeometry(...size, 2, 0.1 * Math.min(...size)),
  sphere: ({ radius }, sides) => new THREE.SphereGeometry(radius, sides(48), sides(32)).applyMatrix4(Z_FROM_Y),
  ellipsoid: ({ radii }, sides) => new THREE.SphereGeometry(1, sides(64), sides(40)).applyMatrix4(Z_FROM_Y).scale(...radii),
  cylinder,
  capsule: ({ radius, length }, sides) =>
    new THREE.CapsuleGeometry(radius, length, sides(12), sides(36)).applyMatrix4(Z_FROM_Y),
  torus: ({ major, minor }, sides) => new THREE.TorusGeometry(major, minor, sides(28), sides(88)),
  mesh,
  tube,
};

/** A function shape -> geometry that remembers what it has built; detail 1 is fine, less is coarser. */
export function geometryMaker(detail, meshes = []) {
  const sides = (n) => Math.max(5, Math.round(detail * n));
  const known = new Map();
  return (shape) => {
    const { color, pose, opacity, ...key } = shape;
    const text = JSON.stringify(key);
    if (!known.has(text)) known.set(text, BUILDERS[shape.type](shape, sides, meshes));
    return known.get(text);
  };
}
