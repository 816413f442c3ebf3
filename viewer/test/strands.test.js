// Strands: points spread along a path, and the belly of a muscle.
import assert from "node:assert/strict";
import { test } from "node:test";
import { belly, coil, ringCounts, spread } from "../src/strands.js";

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

test("a spring winds about the line between its ends, at its radius, and its wire grows thin where it is pressed", () => {
  const rings = 200;
  const out = new Float64Array(3 * rings);
  const ends = (length) => Float64Array.from([1, 2, 3, 1, 2, 3 + length]);
  const wire = coil(ends(2), 0, 0.1, out, rings);
  const at = (r) => [...out.subarray(3 * r, 3 * r + 3)];
  assert.deepEqual([at(0), at(rings - 1)], [[1, 2, 3], [1, 2, 5]]);
  for (let r = 0; r < rings; r++) {
    const [x, y, z] = at(r);
    assert.ok(Math.abs(z - 3 - (2 * r) / (rings - 1)) < 1e-12);
    const wide = Math.hypot(x - 1, y - 2);
    assert.ok(wide < 0.1 + 1e-12 && (r < 40 || r > 160 || Math.abs(wide - 0.1) < 1e-12));
  }
  assert.ok(coil(ends(0.1), 0, 0.1, out, rings) < wire);
});

test("where there are very many strands, each has fewer rings", () => {
  assert.deepEqual(ringCounts([{ kind: "muscle" }, { kind: "spring" }]), [40, 126]);
  const many = ringCounts(Array.from({ length: 1000 }, () => ({ kind: "muscle" })));
  assert.equal(many[0], 16);
});
