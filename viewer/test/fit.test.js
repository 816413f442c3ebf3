// Where the camera stands: everything in the picture, as large as can be, and nothing under a card.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseView, clearOf, directions, fitView, outermost, principalAxes, scenery } from "../src/fit.js";

const LENS = { wide: 0.46, tall: 0.287 };
const cloud = Array.from({ length: 200 }, (_, i) => [2 * Math.sin(7 * i), 0.5 * Math.sin(11 * i), Math.cos(5 * i)]);

/** Places in the picture, 0 to 1 from the upper left, by the textbook: a pinhole at target + distance view. */
function project(points, view, { target, distance }) {
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const raw = cross([0, 0, 1], view);
  const right = raw.map((x) => x / Math.hypot(...raw));
  const up = cross(view, right);
  return points.map((p) => {
    const d = p.map((x, k) => x - target[k] - distance * view[k]);
    const depth = -dot(d, view);
    return [0.5 + dot(d, right) / depth / LENS.wide / 2, 0.5 - dot(d, up) / depth / LENS.tall / 2];
  });
}

const range = (list) => [Math.min(...list), Math.max(...list)];

test("without cards the points touch two opposite edges and cross none", () => {
  const view = chooseView(cloud);
  const seen = project(cloud, view, fitView(cloud, view, LENS, [], 0.03));
  const [left, right] = range(seen.map((p) => p[0]));
  const [top, bottom] = range(seen.map((p) => p[1]));
  assert.ok(left > 0.03 - 1e-9 && right < 0.97 + 1e-9 && top > 0.03 - 1e-9 && bottom < 0.97 + 1e-9);
  assert.ok(Math.abs(right - left - 0.94) < 1e-9 || Math.abs(bottom - top - 0.94) < 1e-9);
});

test("points keep clear of cards, and pay as little as can be for it", () => {
  const view = chooseView(cloud);
  const corner = { left: 0.7, right: 1, top: 0.75, bottom: 1 };
  const bar = { left: 0, right: 0.7, top: 0.9, bottom: 1 };
  const free = fitView(cloud, view, LENS, [], 0.03);
  const found = fitView(cloud, view, LENS, [corner, bar], 0.03);
  const seen = project(cloud, view, found);
  for (const card of [corner, bar]) {
    assert.ok(clearOf(seen, card));
    assert.ok(!seen.some(([x, y]) => x > card.left && x < card.right && y > card.top && y < card.bottom));
  }
  assert.ok(found.distance >= free.distance && found.distance < 1.6 * free.distance);
});

test("a line passes between a triangle and a corner that its box covers", () => {
  const triangle = [[0, 0], [0.9, 0], [0, 0.9]];
  assert.ok(clearOf(triangle, { left: 0.6, right: 1, top: 0.6, bottom: 1 }));
  assert.ok(!clearOf(triangle, { left: 0.3, right: 1, top: 0.3, bottom: 1 }));
});

test("principal axes of an ellipse are its axes", () => {
  const ellipse = Array.from({ length: 360 }, (_, i) => {
    const [x, y] = [4 * Math.cos((i * Math.PI) / 180), Math.sin((i * Math.PI) / 180)];
    return [x * Math.cos(0.5) - y * Math.sin(0.5), x * Math.sin(0.5) + y * Math.cos(0.5), 0];
  });
  const { angle, ratio } = principalAxes(ellipse);
  assert.ok(Math.abs(angle - 0.5) < 1e-9 && Math.abs(ratio - 0.25) < 1e-9);
  const view = chooseView(ellipse);
  const along = Math.abs(view[0] * Math.cos(0.5) + view[1] * Math.sin(0.5)) / Math.hypot(view[0], view[1]);
  assert.ok(along < 0.5); // looks across the long axis
  assert.ok(Math.abs(Math.hypot(...view) - 1) < 1e-12 && view[2] > 0);
});

test("one point, and points in a line, have a view too", () => {
  for (const points of [[[1, 2, 3]], [[0, 0, 0], [0, 0, 1]], [[0, 0, 0], [1, 0, 0]]]) {
    const found = fitView(points, chooseView(points), LENS);
    assert.ok([...found.target, found.distance].every(Number.isFinite));
  }
});

test("outermost points reach as far as all, nearly", () => {
  const kept = outermost(cloud, 240);
  assert.ok(kept.length < cloud.length);
  const reach = (points, d) => Math.max(...points.map((p) => p[0] * d[0] + p[1] * d[1] + p[2] * d[2]));
  for (const d of directions(50)) assert.ok(reach(kept, d) > reach(cloud, d) - 0.02);
});

test("a floor much wider than the motion is not framed, and says how high it is", () => {
  const slab = (half, low, high) => [[-half, -half, low], [half, half, high]];
  const found = scenery([slab(100, -0.001, 0), slab(1, 0, 1), slab(100, 0, 30)], 2);
  assert.deepEqual(found, { points: slab(1, 0, 1), floors: [0], height: 0 });
  assert.equal(scenery([slab(1, 0, 0)], 2).height, null);
});
