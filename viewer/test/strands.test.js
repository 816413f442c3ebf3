// Strands: points spread along a path, and the belly of a muscle.
import assert from "node:assert/strict";
import { test } from "node:test";
import { belly, spread } from "../src/strands.js";

test("points are spread evenly along the path, around its corner", () => {
  const out = new Float64Array(3 * 5);
  const corner = Float64Array.from([9, 9, 9, 0, 0, 0, 2, 0, 0, 2, 0, 0, 2, 2, 0]); // the first is another strand's; one is there twice
  assert.ok(spread(corner, 1, 4, out, 5));
  assert.deepEqual([...out], [0, 0, 0, 1, 0, 0, 2, 0, 0, 2, 1, 0, 2, 2, 0]);
});

test("a path without length, or that is not finite, is not drawn", () => {
  const out = new Float64Array(6);
  assert.equal(spread(new Float64Array(6), 0, 2, out, 2), false);
  assert.equal(spread(Float64Array.from([0, 0, 0, NaN, 0, 0]), 0, 2, out, 2), false);
});

test("a muscle is thick in the middle and thin at its ends", () => {
  assert.deepEqual([belly(0), belly(0.5), belly(1)], [0, 1, 0]);
  assert.ok(belly(0.2) > 0 && belly(0.2) < belly(0.3));
});
