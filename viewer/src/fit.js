// Where to put a camera so that a set of spheres fills the picture.
import * as THREE from "three";

/**
 * Target and distance for a camera that looks along -view: every sphere inside the margins (parts of the picture).
 * Bisection on the distance; at each distance the target is centred on what is seen.
 */
export function fitView(camera, view, spheres, center, margins) {
  const right = new THREE.Vector3().crossVectors(camera.up, view).normalize();
  const up = new THREE.Vector3().crossVectors(view, right);
  const tall = Math.tan(THREE.MathUtils.degToRad(camera.fov / 2));
  const wide = tall * camera.aspect;
  const points = spheres.map(({ p, r }) => {
    const d = p.clone().sub(center);
    return { x: d.dot(right), y: d.dot(up), z: d.dot(view), r };
  });
  const room = { x: 2 - 2 * (margins.left + margins.right), y: 2 - 2 * (margins.top + margins.bottom) };
  const extent = (distance) => {
    const seen = { x: [Infinity, -Infinity], y: [Infinity, -Infinity] };
    for (const { x, y, z, r } of points) {
      const depth = distance - z;
      if (depth < 1.2 * r + 1e-9) return null; // the camera would be inside
      for (const [axis, value, half] of [["x", x, wide], ["y", y, tall]]) {
        seen[axis][0] = Math.min(seen[axis][0], (value - r) / (depth * half));
        seen[axis][1] = Math.max(seen[axis][1], (value + r) / (depth * half));
      }
    }
    return seen;
  };
  const fits = (distance) => {
    const seen = extent(distance);
    return seen && seen.x[1] - seen.x[0] <= room.x && seen.y[1] - seen.y[0] <= room.y;
  };
  let high = 1e-3;
  while (!fits(high) && high < 1e9) high *= 2;
  let low = high / 2;
  for (let i = 0; i < 30; i++) {
    const middle = (low + high) / 2;
    if (fits(middle)) high = middle;
    else low = middle;
  }
  const seen = extent(high);
  const target = center.clone();
  target.addScaledVector(right, ((seen.x[0] + seen.x[1]) / 2 + margins.right - margins.left) * high * wide);
  target.addScaledVector(up, ((seen.y[0] + seen.y[1]) / 2 + margins.top - margins.bottom) * high * tall);
  return { target, distance: high };
}
