// The curve over several motions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { heights } from "../src/variants.js";

test("numbers over decades stand on a logarithmic scale, others on a plain one", () => {
  assert.deepEqual(heights([1, 10, 100]), [0, 0.5, 1]);
  assert.deepEqual(heights([1, 2, 3]), [0, 0.5, 1]);
  assert.deepEqual(heights([0, 100, 50]), [0, 1, 0.5]);
  assert.deepEqual(heights([7, 7]), [0.5, 0.5]);
});
