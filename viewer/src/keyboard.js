// Keyboard shortcuts: one table that is both the behaviour and the help text.

function playbackKeys(viewer) {
  const { source, bar } = viewer;
  return [
    [["Left", "Right"], "frame back, forward", { ArrowLeft: () => source.stepFrame(-1), ArrowRight: () => source.stepFrame(1) }],
    [["Shift", "Left", "Right"], "one second back, forward", {
      "Shift+ArrowLeft": () => source.seek(source.time - 1), "Shift+ArrowRight": () => source.seek(source.time + 1) }],
    [["Up", "Down"], "faster, slower", { ArrowUp: () => bar.faster(1), ArrowDown: () => bar.faster(-1) }],
    [["Home", "End"], "start, end", { Home: () => source.seek(source.start), End: () => source.seek(source.end) }],
    [["L"], "loop", { l: () => (source.loop = !source.loop) }],
    ...(viewer.choice ? variantKeys(viewer) : []),
  ];
}

function variantKeys(viewer) {
  const { source, choice } = viewer;
  const by = (n) => () => viewer.choose(source.variant + n);
  return [[["PgUp", "PgDn"], `${choice.name} before, after`, { PageUp: by(-1), PageDown: by(1) }]];
}

function liveKeys(viewer) {
  const { source, bar } = viewer;
  return [
    [["Right"], "one frame forward", { ArrowRight: () => source.stepFrame(1) }],
    [["Backspace"], "start over", { Backspace: () => source.reset() }],
    [["S"], "show or hide the sliders", { s: () => bar.fold() }],
  ];
}

const PRESSES = ["BUTTON", "SUMMARY", "A"]; // elements that Space and Enter press
const SLIDES = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];

/** True for keys that the focused element answers itself: a button to Space, a slider to arrows, a list to all. */
export function answersItself({ tagName }, key) {
  if (tagName === "SELECT") return key !== "Escape";
  if (PRESSES.includes(tagName)) return key === " " || key === "Enter";
  return tagName === "INPUT" && SLIDES.includes(key);
}

/** Bind all keys; returns [keys, text] pairs for the help card. */
export function bindKeys(viewer) {
  const entries = [
    [["Space"], "play or pause", { " ": () => viewer.source.toggle() }],
    ...(viewer.scene.live ? liveKeys(viewer) : playbackKeys(viewer)),
    [["T"], "trails", { t: () => viewer.toggleTrails() }],
    [["X"], "body frames", { x: () => viewer.toggleFrames() }],
    [["C"], viewer.contacts.arrows ? "contact points and forces" : "contact points", { c: () => viewer.toggleContacts() }],
    ...(viewer.strands.available ? [[["M"], "muscles, cables, springs", { m: () => viewer.toggleStrands() }]] : []),
    [["F"], "follow the selected body", { f: () => viewer.follow() }],
    [["R"], "whole view", { r: () => viewer.goHome() }],
    [["E"], "energy", { e: () => viewer.toggleEnergy() }],
    [["D"], "dark or light", { d: () => viewer.setTheme(!viewer.dark) }],
    [["I"], "about this motion", { i: () => viewer.toggleSheet("info") }],
    [["H"], "this help", { h: () => viewer.toggleSheet("help"), "?": () => viewer.toggleSheet("help"), Escape: () => viewer.toggleSheet(null) }],
  ];
  const actions = Object.assign({}, ...entries.map((entry) => entry[2]));
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (answersItself(event.target, event.key)) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const action = (event.shiftKey && actions[`Shift+${name}`]) || actions[name];
    if (!action) return;
    event.preventDefault();
    action();
    viewer.show();
  });
  return entries.map(([keys, text]) => [keys, text]);
}
