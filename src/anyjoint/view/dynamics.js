// From generated quantities to the object that a live page steps. No physics here: sums of what the quantities answer.
// parts: {forward, poses, energy, moments, weight, pull[, rate, chart]} as {call(...arrays)}.
function assemble(parts, { nq, nv, nb, gravity: built, damped }) {
  const vector = (n) => new Float64Array(Math.max(1, n));
  const [matrices, two, moments, force, extra, rewritten] = [16 * nb, 2, 4, nv, nv, nq + nv].map(vector);
  const change = vector(3);

  /** Gravity beyond the one that is built in; true if there is any. */
  function differs(gravity) {
    for (let k = 0; k < 3; k++) change[k] = gravity[k] - built[k];
    return change.some((x) => x !== 0);
  }

  function add() {
    for (let k = 0; k < nv; k++) force[k] += extra[k];
  }

  function forward(q, v, tau, gravity, wrenches, a) {
    force.set(tau);
    if (differs(gravity)) {
      parts.weight.call(q, change, extra);
      add();
    }
    if (wrenches) {
      parts.pull.call(q, wrenches, extra);
      add();
    }
    parts.forward.call(q, v, force, a);
  }

  /** Row-major 3x4 poses of all bodies. */
  function poses(q, out) {
    parts.poses.call(q, matrices);
    for (let b = 0; b < nb; b++) out.set(matrices.subarray(16 * b, 16 * b + 12), 12 * b);
  }

  function energy(q, v, gravity) {
    parts.energy.call(q, v, two);
    if (!differs(gravity)) return [two[0], two[1]];
    parts.moments.call(q, moments);
    return [two[0], two[1] - change[0] * moments[0] - change[1] * moments[1] - change[2] * moments[2]];
  }

  const dynamics = { nq, nv, nb, forward, poses, energy, damped };
  if (parts.rate) dynamics.rate = (q, v, out) => parts.rate.call(q, v, out);
  if (parts.chart) {
    dynamics.chart = (q, v) => {
      parts.chart.call(q, v, rewritten);
      q.set(rewritten.subarray(0, nq));
      v.set(rewritten.subarray(nq));
    };
  }
  return dynamics;
}
