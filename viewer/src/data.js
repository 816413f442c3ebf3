// Reading the scene that the page carries; its fields are listed in the README.

/** Bytes of a base64 text. */
function bytesOf(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

/** Numbers of a base64 text as a typed array. */
export function decode(text, Type = Float32Array) {
  return new Type(bytesOf(text).buffer);
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Packed tracks (see tracks.py) as floats, frame by frame, track by track, component by component. */
export async function unpackTracks({ shape: [frames, count, components], low, step, data }) {
  const planes = await inflate(bytesOf(data));
  const size = frames * count;
  const high = components * size;
  const out = new Float32Array(components * size);
  const before = new Uint16Array(count); // levels of the last frame
  for (let c = 0; c < components; c++) {
    before.fill(0);
    for (let f = 0; f < frames; f++) {
      let change = 0; // of this frame against the last, summed along the tracks
      for (let t = 0; t < count; t++) {
        const at = c * size + f * count + t;
        const zigzag = planes[at] | (planes[high + at] << 8);
        change += (zigzag >> 1) ^ -(zigzag & 1);
        before[t] += change; // wraps around at 65536, as the differences did
        out[(f * count + t) * components + c] = low[c] + before[t] * step[c];
      }
    }
  }
  return out;
}

/** A packed mesh (see mesh_table.py): positions, and corners of triangles. */
export async function unpackMesh({ low, step, vertices, faces }) {
  const levels = new Uint16Array((await inflate(bytesOf(vertices))).buffer);
  const changes = new Uint32Array((await inflate(bytesOf(faces))).buffer);
  const positions = Float32Array.from(levels, (level, i) => low[i % 3] + level * step[i % 3]);
  const corners = new Uint32Array(changes.length);
  let corner = 0;
  changes.forEach((zigzag, i) => {
    corner += (zigzag >>> 1) ^ -(zigzag & 1);
    corners[i] = corner;
  });
  return { positions, corners };
}

/** Decode the arrays of a motion, in place. */
async function readMotion(motion) {
  if (motion.times) motion.times = decode(motion.times);
  if (motion.poses) motion.poses = await unpackTracks(motion.poses);
  if (motion.energy) {
    motion.energy = { kinetic: decode(motion.energy.kinetic), potential: decode(motion.energy.potential) };
  }
  if (motion.contacts) {
    const { starts, points, forces } = motion.contacts;
    motion.contacts = { starts: decode(starts, Uint32Array), points: decode(points), forces: forces && decode(forces) };
  }
  if (motion.strands) {
    const { points, levels } = motion.strands;
    motion.strands = { points: await unpackTracks(points), levels: levels && decode(levels, Uint8Array) };
  }
}

/** The scene as its page holds it, with its arrays decoded. */
export async function parseScene(text) {
  const scene = JSON.parse(text);
  scene.meshes = await Promise.all((scene.meshes ?? []).map(unpackMesh));
  if (scene.live?.levels) scene.live.levels = decode(scene.live.levels, Uint8Array);
  for (const motion of scene.variants?.items ?? [scene]) await readMotion(motion);
  return scene;
}
