// A recorded motion: time, poses between frames, contacts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Playback } from "../src/playback.js";

const half = Math.SQRT1_2;
function quarterTurn(changes = {}) {
  const poses = Float32Array.from([0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, -half, -half]); // the second with its sign turned
  const contacts = { starts: Uint32Array.from([0, 1, 3]), points: Float32Array.from([0, 0, 0, 1, 1, 1, 2, 2, 2]) };
  return new Playback({ times: Float32Array.from([0, 1]), poses, bodies: [{}], contacts, ...changes });
}

test("between two frames the body is half-way, along the shorter arc", () => {
  const motion = quarterTurn();
  motion.seek(0.5);
  const rows = motion.poses();
  assert.ok(Math.abs(rows[3] - 1) < 1e-6);
  assert.ok(Math.abs(rows[0] - Math.cos(Math.PI / 4)) < 1e-6 && Math.abs(rows[4] - Math.sin(Math.PI / 4)) < 1e-6);
});

test("seeking stays within the motion; playing ends or starts over", () => {
  const motion = quarterTurn();
  motion.seek(9);
  assert.equal(motion.time, 1);
  motion.loop = false;
  motion.toggle(); // from the end it plays from the start
  assert.deepEqual([motion.time, motion.playing], [0, true]);
  motion.tick(2);
  assert.deepEqual([motion.time, motion.playing], [1, false]);
});

test("contacts are those of the frame", () => {
  const motion = quarterTurn();
  assert.equal(motion.mostContacts, 2);
  assert.deepEqual([...motion.contactPoints()], [0, 0, 0]);
  assert.equal(motion.contactForces(), null);
  assert.equal(quarterTurn({ contacts: undefined }).mostContacts, 0);
});

test("forces are those of the frame", () => {
  const contacts = { starts: Uint32Array.from([0, 1, 1]), points: new Float32Array(3), forces: Float32Array.from([0, 0, 2]) };
  assert.deepEqual([...quarterTurn({ contacts }).contactForces()], [0, 0, 2]);
});

test("a survey visits both ends and leaves the time alone", () => {
  const motion = quarterTurn();
  motion.seek(0.3);
  const seen = [];
  motion.survey((rows) => seen.push(rows[3]), 5);
  assert.deepEqual(seen.map((x) => Math.round(4 * x)), [0, 2, 4, 6, 8]);
  assert.equal(motion.time, 0.3);
});

test("of several motions one is chosen; the time stays where it lasts that long", () => {
  const item = (end) => ({ times: Float32Array.from([0, end]), poses: new Float32Array(14).fill(end) });
  const motion = new Playback({ bodies: [{}], variants: { items: [item(1), item(3), item(2)] } });
  assert.deepEqual([motion.variant, motion.end, motion.time], [2, 2, 0]);
  motion.seek(1.5);
  motion.choose(1);
  assert.deepEqual([motion.end, motion.time, motion.data[0]], [3, 1.5, 3]);
  motion.choose(-4);
  assert.deepEqual([motion.variant, motion.time], [0, 1]);
  let seen = 0;
  motion.survey(() => (seen += 1), 12);
  assert.deepEqual([seen, motion.variant, motion.time], [18, 0, 1]);
});
