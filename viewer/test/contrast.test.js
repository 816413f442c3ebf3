// Contrast as WCAG defines it, with values that are printed there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { channels, contrast, lightened, luminance } from "../src/contrast.js";

test("black, white and the grey that just passes", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
  assert.equal(luminance("#ffffff"), 1);
  assert.ok(Math.abs(contrast("#767676", "#ffffff") - 4.54) < 0.005); // the well-known lightest grey for text
});

test("dark colours are lightened just enough, bright ones stay", () => {
  for (const color of ["#000000", "#2f3542", "#264653", "#0000ff"]) {
    const seen = lightened(color, "#232a39", 3);
    assert.ok(contrast(seen, "#232a39") >= 3 && contrast(seen, "#232a39") < 3.1, color);
    assert.ok(channels(seen).every((c, k) => c >= channels(color)[k]));
  }
  assert.equal(lightened("#f3a712", "#232a39", 3), "#f3a712");
});
