// From generated programs to the object that a live page integrates.
// parts: {forward, poses, measure, blocks[, rate, chart]} as {call(...arrays)}; layout: links, bodies.
function assemble(parts, layout) {
  const { nq, nv, nb, links, bodies } = layout;
  const count = links.length;
  const placed = new Float64Array(Math.max(1, 12 * count)); // per link: rotation by rows, origin
  const measured = new Float64Array(Math.max(1, 12 * count)); // per link: kinetic energy, mass times centre, ..., energy in springs
  const block = new Float64Array(Math.max(1, layout.blockSize));
  const load = new Float64Array(Math.max(1, 6 * count)); // wrench on each link, torque first, in the link's frame
  const force = new Float64Array(nv);
  const rewritten = new Float64Array(nq + nv);

  /** Add a wrench given in a frame (rows R at r, origin at p, both in their arrays) to the wrench of a link. */
  function addWrench(link, R, r, P, p, tx, ty, tz, fx, fy, fz) {
    const x = R[r] * fx + R[r + 1] * fy + R[r + 2] * fz;
    const y = R[r + 3] * fx + R[r + 4] * fy + R[r + 5] * fz;
    const z = R[r + 6] * fx + R[r + 7] * fy + R[r + 8] * fz;
    const w = 6 * link;
    load[w] += R[r] * tx + R[r + 1] * ty + R[r + 2] * tz + P[p + 1] * z - P[p + 2] * y;
    load[w + 1] += R[r + 3] * tx + R[r + 4] * ty + R[r + 5] * tz + P[p + 2] * x - P[p] * z;
    load[w + 2] += R[r + 6] * tx + R[r + 7] * ty + R[r + 8] * tz + P[p] * y - P[p + 1] * x;
    load[w + 3] += x;
    load[w + 4] += y;
    load[w + 5] += z;
  }

  /** Weight by which gravity differs from the one that is compiled in, as a wrench on every link. */
  function addWeight(dx, dy, dz) {
    for (let i = 0; i < count; i++) {
      const o = 12 * i;
      const gx = placed[o] * dx + placed[o + 3] * dy + placed[o + 6] * dz;
      const gy = placed[o + 1] * dx + placed[o + 4] * dy + placed[o + 7] * dz;
      const gz = placed[o + 2] * dx + placed[o + 5] * dy + placed[o + 8] * dz;
      const [m, hx, hy, hz] = links[i].mass;
      const w = 6 * i;
      load[w] += hy * gz - hz * gy;
      load[w + 1] += hz * gx - hx * gz;
      load[w + 2] += hx * gy - hy * gx;
      load[w + 3] += m * gx;
      load[w + 4] += m * gy;
      load[w + 5] += m * gz;
    }
  }

  /** Sweep in: S^T w of every link into `force`, the wrench itself on to the parent. */
  function sweepIn() {
    for (let i = count - 1; i >= 0; i--) {
      const { parent, v, n, at } = links[i];
      const w = 6 * i;
      for (let j = 0; j < n; j++) {
        let sum = 0;
        for (let k = 0; k < 6; k++) sum += block[at + 24 + k * n + j] * load[w + k];
        force[v + j] += sum;
      }
      if (parent >= 0) {
        addWrench(parent, block, at, block, at + 9, load[w], load[w + 1], load[w + 2], load[w + 3], load[w + 4], load[w + 5]);
      }
    }
  }

  function forward(q, v, tau, gravity, wrenches, a) {
    force.set(tau);
    const dx = gravity[0] - layout.gravity[0];
    const dy = gravity[1] - layout.gravity[1];
    const dz = gravity[2] - layout.gravity[2];
    const heavier = dx !== 0 || dy !== 0 || dz !== 0;
    if (heavier || wrenches) {
      load.fill(0);
      parts.blocks.call(q, v, block);
      if (heavier) {
        parts.poses.call(q, placed);
        addWeight(dx, dy, dz);
      }
      if (wrenches) {
        bodies.forEach(({ link, R, p }, b) => {
          const w = 6 * b;
          if (link >= 0) {
            addWrench(link, R, 0, p, 0, wrenches[w], wrenches[w + 1], wrenches[w + 2], wrenches[w + 3], wrenches[w + 4], wrenches[w + 5]);
          }
        });
      }
      sweepIn();
    }
    parts.forward.call(q, v, force, a);
  }

  function poses(q, out) {
    parts.poses.call(q, placed);
    bodies.forEach(({ link, R, p }, b) => {
      const o = 12 * link;
      for (let i = 0; i < 3; i++) {
        const to = 12 * b + 4 * i;
        const x = link < 0 ? Number(i === 0) : placed[o + 3 * i];
        const y = link < 0 ? Number(i === 1) : placed[o + 3 * i + 1];
        const z = link < 0 ? Number(i === 2) : placed[o + 3 * i + 2];
        for (let j = 0; j < 3; j++) out[to + j] = x * R[j] + y * R[3 + j] + z * R[6 + j];
        out[to + 3] = x * p[0] + y * p[1] + z * p[2] + (link < 0 ? 0 : placed[o + 9 + i]);
      }
    });
  }

  function energy(q, v, gravity) {
    parts.measure.call(q, v, measured);
    let kinetic = 0;
    let potential = 0;
    for (let i = 0; i < count; i++) {
      const o = 12 * i;
      kinetic += measured[o];
      potential += measured[o + 11];
      potential -= gravity[0] * measured[o + 1] + gravity[1] * measured[o + 2] + gravity[2] * measured[o + 3];
    }
    return [kinetic, potential];
  }

  const dynamics = { nq, nv, nb, forward, poses, energy, damped: layout.damped };
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
