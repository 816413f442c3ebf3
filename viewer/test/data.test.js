// Packed tracks come back as they were, to half a step.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { decode, parseScene, unpackTracks } from "../src/data.js";

/** What tracks.py does, number by number. */
function pack(levels, [frames, count, components], low, step) {
  const size = frames * count;
  const planes = new Uint8Array(2 * components * size);
  const level = (f, t, c) => (f < 0 || t < 0 ? 0 : levels[(f * count + t) * components + c]);
  for (let c = 0; c < components; c++) {
    for (let f = 0; f < frames; f++) {
      for (let t = 0; t < count; t++) {
        const change = level(f, t, c) - level(f - 1, t, c) - (level(f, t - 1, c) - level(f - 1, t - 1, c));
        const signed = (change << 16) >> 16;
        const zigzag = ((signed << 1) ^ (signed >> 15)) & 65535;
        planes[c * size + f * count + t] = zigzag & 255;
        planes[components * size + c * size + f * count + t] = zigzag >> 8;
      }
    }
  }
  return { shape: [frames, count, components], low, step, data: deflateSync(planes).toString("base64") };
}

test("wild levels come back exactly", async () => {
  const shape = [7, 5, 3];
  const levels = Array.from({ length: 105 }, (_, i) => (i * 40503 + 12345 * i * i) % 65536);
  const seen = await unpackTracks(pack(levels, shape, [0, 0, 0], [1, 1, 1]));
  assert.deepEqual([...seen], levels);
});

test("low and step belong to their components", async () => {
  const seen = await unpackTracks(pack([0, 2, 10, 4], [2, 1, 2], [-1, 5], [0.5, 0.25]));
  assert.deepEqual([...seen], [-1, 5.5, 4, 6]);
});

test("a scene keeps its texts and decodes its arrays", async () => {
  const times = Buffer.from(new Float32Array([0, 0.5]).buffer).toString("base64");
  const scene = await parseScene(JSON.stringify({ title: "x", times, poses: pack([1, 2], [2, 1, 1], [0], [1]) }));
  assert.equal(scene.title, "x");
  assert.deepEqual([...scene.times], [0, 0.5]);
  assert.deepEqual([...scene.poses], [1, 2]);
  assert.deepEqual([...decode(times)], [0, 0.5]);
});
