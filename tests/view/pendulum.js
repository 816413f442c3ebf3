// A point mass on a massless rod, by hand: the smallest dynamics that a live page can run.
// Hinge about y at the origin, length 1, mass 2; the rod hangs along -z at q = 0.
function makeDynamics() {
  const m = 2.0;
  const l = 1.0;
  function acceleration(q, v, { gravity, wrenches, damping }) {
    const s = Math.sin(q);
    const c = Math.cos(q);
    // The mass is at (-l s, 0, -l c); its velocity per unit rate is (-l c, 0, l s).
    let force = m * (-l * c * gravity[0] + l * s * gravity[2]) - damping * v;
    if (wrenches) force += wrenches[1]; // torque about y, in the body's frame, which is also the world's y
    return force / (m * l * l);
  }
  return {
    nq: 1,
    nv: 1,
    nb: 1,
    damped: false,
    step(q, v, extra, dt) {
      const rates = [];
      for (const [before, by] of [[0, 0], [0, dt / 2], [1, dt / 2], [2, dt]]) {
        const [k, a] = rates[before] ?? [0, 0];
        const speed = v[0] + by * a;
        rates.push([speed, acceleration(q[0] + by * k, speed, extra)]);
      }
      const sum = (i) => (dt / 6) * (rates[0][i] + 2 * rates[1][i] + 2 * rates[2][i] + rates[3][i]);
      q[0] += sum(0);
      v[0] += sum(1);
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
