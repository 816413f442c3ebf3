// Reading the scene that the page carries.

/** Bytes of a base64 text as a typed array. */
export function decode(text, Type = Float32Array) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Type(bytes.buffer);
}

/** The scene of the page, with its arrays decoded. */
export function readScene(element = document.getElementById("anyjoint-scene")) {
  const scene = JSON.parse(element.textContent);
  for (const key of ["times", "poses"]) if (scene[key]) scene[key] = decode(scene[key]);
  if (scene.energy) {
    scene.energy = { kinetic: decode(scene.energy.kinetic), potential: decode(scene.energy.potential) };
  }
  if (scene.contacts) {
    scene.contacts = { starts: decode(scene.contacts.starts, Uint32Array), points: decode(scene.contacts.points) };
  }
  return scene;
}
