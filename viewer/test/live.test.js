// Live physics: contact points and forces, with dynamics that are made up.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Live } from "../src/live.js";

/** A body that hops: its two points touch in every second step, with 8 N and 2 N upwards. */
function hopping(changes = {}) {
  const touched = new Float64Array(18);
  let steps = 0;
  return {
    nq: 1, nv: 1, nb: 1, touches: 2, touched,
    step() {
      steps += 1;
      touched.set(steps % 2 ? [1, 0, 0, 0, 0, 1, 0, 0, 8, 2, 0, 0, 0, 0, 1, 0, 0, 2] : new Array(18).fill(0));
    },
    poses: (q, out) => out.set([1, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1, 0]),
    energy: () => [0, 0],
    ...changes,
  };
}

function page(dynamics, contacts = null, riding = []) {
  const live = { q0: [0], v0: [0], gravity: [0, 0, -10], dt: 0.01, contacts: riding };
  return new Live({ bodies: [{ mass: 2 }], live }, dynamics, contacts);
}

test("points and forces are those of contacts that pushed in the last step", () => {
  const live = page(hopping());
  assert.deepEqual([live.mostContacts, live.knowsForces], [2, true]);
  assert.deepEqual([...live.contactPoints()], []);
  live.advance(1);
  assert.deepEqual([...live.contactPoints()], [1, 0, 0, 2, 0, 0]);
  assert.deepEqual([...live.contactForces()], [0, 0, 0.4, 0, 0, 0.1]); // beside the weight, before a rehearsal
  live.advance(1);
  assert.deepEqual([...live.contactPoints()], []);
  live.advance(1);
  live.reset();
  assert.deepEqual([...live.contactPoints()], []);
});

test("the rehearsal says which force is drawn at full length", () => {
  let seen = 0;
  const live = page(hopping({ poses: (q, out) => out.fill(0) }));
  live.motion.dt = 0.05; // a step between two looks
  live.survey(() => (seen += 1));
  assert.equal(seen, 61);
  live.advance(1);
  live.contactPoints();
  assert.equal(live.contactForces()[2], 1);
});

test("bodies that ride on something come first, without a force", () => {
  const live = page(hopping(), (q, out) => out.set([0, 1, 2]), [0]);
  live.advance(1);
  assert.deepEqual([...live.contactPoints()], [5, 1, 2, 1, 0, 0, 2, 0, 0]); // the first in its parent's frame
  assert.deepEqual([...live.contactForces().subarray(0, 3)], [0, 0, 0]);
});

test("without contacts there is nothing to show", () => {
  const live = page(hopping({ touches: undefined, touched: undefined }));
  live.advance(2);
  assert.deepEqual([live.mostContacts, live.knowsForces, live.contactPoints()], [0, false, null]);
});

test("what can only be posed does not play, and has no energy to plot", () => {
  let seen = 0;
  const live = page(hopping({ still: true, step: undefined }));
  live.survey(() => (seen += 1));
  live.toggle();
  live.stepFrame(1);
  assert.deepEqual([seen, live.playing, live.tick(1), live.time, live.series()], [1, false, false, 0, null]);
});

test("another start is put onto constraints, step by step from where it was", () => {
  const seen = [];
  const held = {
    nq: 2, nv: 2, nb: 1, constrained: true,
    step(q) {
      seen.push(q[0]);
      const miss = (q[1] - 2 * q[0]) / 5; // nearest point with q1 = 2 q0
      q[0] += 2 * miss;
      q[1] -= miss;
    },
    poses: (q, out) => out.fill(0),
    energy: () => [0, 0],
  };
  const { motion } = new Live({ bodies: [{ mass: 1 }], live: { q0: [0, 0], v0: [0, 0], gravity: [0, 0, 0], dt: 0.01, contacts: [] } }, held);
  motion.begin(0, 1);
  assert.ok(Math.abs(motion.q[0] - 1) < 1e-6 && Math.abs(motion.q[1] - 2) < 1e-6);
  assert.ok(seen[0] < 0.05); // linkages stay folded as they are
  motion.q[0] = 7;
  motion.reset();
  assert.ok(Math.abs(motion.q[1] - 2 * motion.q[0]) < 1e-9);
});

test("steps that break down stop the page with a sentence, until it is reset", () => {
  for (const [chooses, said] of [[false, "The motion blew up near t = 0.03 s"], [true, "No step is short enough near t = 0.03 s"]]) {
    const live = page(hopping({ chooses, step: (q) => q.fill(NaN) }));
    live.playing = true;
    assert.equal(live.advance(3), false);
    assert.equal(live.playing, false);
    assert.ok(live.trouble.startsWith(said));
    live.reset();
    assert.equal(live.trouble, null);
  }
});

test("a rehearsal that does not keep its energy is not trusted", () => {
  for (const [gain, trusted] of [[0, true], [1, false]]) {
    let steps = 0;
    const live = page(hopping({ step: () => (steps += 1), energy: () => [1 + gain * steps, 0], poses: (q, out) => out.fill(0) }));
    live.survey(() => {});
    assert.equal(live.rehearsed, trusted);
  }
});
