// Shapes of the scene as three.js geometries; equal shapes share one geometry.
import * as THREE from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import { mergeGeometries, toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { decode } from "./data.js";

const Z_FROM_Y = new THREE.Matrix4().makeRotationX(Math.PI / 2); // three.js builds cylinders along y, we along z

function tube({ points, radius, closed }, fine) {
  const xyz = decode(points);
  const path = [];
  for (let i = 0; i < xyz.length; i += 3) path.push(new THREE.Vector3(xyz[i], xyz[i + 1], xyz[i + 2]));
  if (closed) path.pop(); // the scene repeats the first point
  const curve = new THREE.CatmullRomCurve3(path, closed, "centripetal");
  const sides = fine ? 14 : 7;
  const body = new THREE.TubeGeometry(curve, Math.min(1200, Math.max(24, path.length * 2)), radius, sides, closed);
  if (closed) return body;
  const cap = (p) => new THREE.SphereGeometry(radius, sides, sides).translate(p.x, p.y, p.z);
  return mergeGeometries([body, cap(path[0]), cap(path.at(-1))]);
}

/** A cylinder with slightly rounded rims: they catch the light. */
function cylinder({ radius, length }, fine) {
  const rim = Math.min(0.06 * radius, 0.1 * length);
  const half = length / 2;
  const profile = [[0, -half], [radius - rim, -half], [radius - 0.3 * rim, -half + 0.3 * rim], [radius, -half + rim]];
  const mirrored = profile.map(([r, z]) => [r, -z]).reverse();
  const points = [...profile, ...mirrored].map(([r, z]) => new THREE.Vector2(r, z));
  return toCreasedNormals(new THREE.LatheGeometry(points, fine ? 72 : 24).applyMatrix4(Z_FROM_Y), 0.5);
}

function mesh({ vertices, faces }) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(decode(vertices), 3));
  geometry.setIndex(new THREE.BufferAttribute(decode(faces, Uint32Array), 1));
  return toCreasedNormals(geometry, 0.6); // round things look round, edges of polyhedra stay sharp
}

const BUILDERS = {
  box: ({ size }) => new RoundedBoxGeometry(...size, 3, 0.1 * Math.min(...size)),
  sphere: ({ radius }, fine) => new THREE.SphereGeometry(radius, fine ? 48 : 20, fine ? 32 : 14).applyMatrix4(Z_FROM_Y),
  ellipsoid: ({ radii }, fine) =>
    new THREE.SphereGeometry(1, fine ? 64 : 24, fine ? 40 : 16).applyMatrix4(Z_FROM_Y).scale(...radii),
  cylinder,
  capsule: ({ radius, length }, fine) =>
    new THREE.CapsuleGeometry(radius, length, fine ? 12 : 5, fine ? 36 : 12).applyMatrix4(Z_FROM_Y),
  torus: ({ major, minor }, fine) => new THREE.TorusGeometry(major, minor, fine ? 28 : 12, fine ? 88 : 36),
  mesh,
  tube,
};

/** A function shape -> geometry that remembers what it has built. */
export function geometryMaker(fine) {
  const known = new Map();
  return (shape) => {
    const { color, pose, opacity, ...key } = shape;
    const text = JSON.stringify(key);
    if (!known.has(text)) known.set(text, BUILDERS[shape.type](shape, fine));
    return known.get(text);
  };
}
