// A point mass on a massless rod, by hand: the smallest dynamics that a live page can run.
// Hinge about y at the origin, length 1, mass 2; the rod hangs along -z at q = 0.
function makeDynamics() {
  const m = 2.0;
  const l = 1.0;
  return {
    nq: 1,
    nv: 1,
    nb: 1,
    forward(q, v, tau, gravity, wrenches, a) {
      const s = Math.sin(q[0]);
      const c = Math.cos(q[0]);
      // The mass is at (-l s, 0, -l c); its velocity per unit rate is (-l c, 0, l s).
      let force = tau[0] + m * (-l * c * gravity[0] + l * s * gravity[2]);
      if (wrenches) force += wrenches[1]; // torque about y, in the body's frame, which is also the world's y
      a[0] = force / (m * l * l);
    },
    poses(q, out) {
      const s = Math.sin(q[0]);
      const c = Math.cos(q[0]);
      out.set([c, 0, s, 0, 0, 1, 0, 0, -s, 0, c, 0]);
    },
    energy(q, v, gravity) {
      const x = -l * Math.sin(q[0]);
      const z = -l * Math.cos(q[0]);
      return [0.5 * m * l * l * v[0] * v[0], -m * (gravity[0] * x + gravity[2] * z)];
    },
  };
}
