// Texts and keys, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { compact } from "../src/dom.js";
import { idea } from "../src/interface.js";
import { answersItself } from "../src/keyboard.js";
import { pace } from "../src/livepanel.js";
import { told } from "../src/plot.js";

test("the idea is one sentence and does not repeat the title", () => {
  assert.equal(idea({ title: "Roller coaster", description: "A roller coaster: cars on a track.\n\nMore." }), "Cars on a track.");
  assert.equal(idea({ title: "Top", description: "Lagrange's top: it nods." }), "Lagrange's top: it nods.");
  assert.equal(idea({ title: "Top" }), "");
});

test("an element answers the keys that are its own", () => {
  assert.ok(answersItself({ tagName: "BUTTON" }, " ") && answersItself({ tagName: "SUMMARY" }, "Enter"));
  assert.ok(answersItself({ tagName: "INPUT" }, "ArrowLeft") && !answersItself({ tagName: "INPUT" }, " "));
  assert.ok(answersItself({ tagName: "SELECT" }, "t") && !answersItself({ tagName: "SELECT" }, "Escape"));
  assert.ok(!answersItself({ tagName: "BODY" }, " ") && !answersItself({ tagName: "BUTTON" }, "t"));
});

test("an energy that cannot be seen beside the others is none", () => {
  assert.equal(told(1.2e-41, 0.08), "0 J");
  assert.equal(told(-1e-9, 0.08), "0 J");
  assert.equal(told(0.0646, 80), "0.065 J");
  assert.equal(told(3e-9, 1e-8), "3.0e\u22129 J");
});

test("numbers are short", () => {
  for (const x of [0, 1e-9, 0.0625, 0.123456, 1, 3.999, 9.99, 12.3, 128]) assert.ok(pace(x).length <= 6, pace(x));
  assert.equal(compact(-0.00001234), "\u22121.2e-5");
  assert.equal(compact(NaN), "\u2013");
  assert.equal(compact(1234.567), "1230");
});
