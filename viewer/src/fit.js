// Where to put a camera so that a motion fills the picture and no card covers it. Points are [x, y, z], z upwards.

/** Direction from the picture's middle to the camera where nothing speaks for another one. */
const USUAL = { azimuth: Math.atan2(-1, 0.62), elevation: 0.3 };
const WIDE = 4; // how many times the size of a motion
const FLAT = 0.01; // height beside the width
const ASIDE = 0.4; // a little off the axis, so that depth can be seen

/** Evenly spread unit vectors. */
export function directions(count) {
  const golden = Math.PI * (3 - Math.sqrt(5));
  return Array.from({ length: count }, (_, i) => {
    const z = 1 - (2 * i + 1) / count;
    const r = Math.sqrt(1 - z * z);
    return [r * Math.cos(golden * i), r * Math.sin(golden * i), z];
  });
}

/** Of many points those that are outermost in some direction: what a camera must see to see them all. */
export function outermost(points, count) {
  const kept = new Set();
  for (const [x, y, z] of directions(count)) {
    let best = -Infinity;
    let at = -1;
    for (let i = 0; i < points.length; i++) {
      const p = points[i];
      const reach = x * p[0] + y * p[1] + z * p[2];
      if (reach > best) {
        best = reach;
        at = i;
      }
    }
    if (at >= 0) kept.add(at);
  }
  return [...kept].map((i) => points[i]);
}

/** The diagonal of the box around points. */
export function span(points) {
  const { low, high } = bounds(points);
  return Math.hypot(...high.map((x, i) => x - low[i]));
}

/**
 * What stands still beside a motion of some size, by outlines: the points that the picture should show, and which of
 * them are floors, flat and much wider than the motion, with the height of the highest one. The page draws its own.
 */
export function scenery(outlines, size) {
  const found = { points: [], floors: [], height: null };
  outlines.forEach((outline, k) => {
    const { low, high } = bounds(outline);
    const width = Math.hypot(high[0] - low[0], high[1] - low[1]);
    if (width <= WIDE * size) found.points.push(...outline);
    else if (high[2] - low[2] < FLAT * width) {
      found.floors.push(k);
      found.height = Math.max(found.height ?? -Infinity, high[2]);
    }
  });
  return found;
}

/** Smallest and largest coordinates. */
function bounds(points) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const p of points) {
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], p[k]);
      high[k] = Math.max(high[k], p[k]);
    }
  }
  return { low, high };
}

/** Principal axes of points seen from above: angle of the longer one, and the ratio of the shorter to it, 0 to 1. */
export function principalAxes(points) {
  const n = points.length || 1;
  const mx = points.reduce((sum, p) => sum + p[0], 0) / n;
  const my = points.reduce((sum, p) => sum + p[1], 0) / n;
  let [xx, xy, yy] = [0, 0, 0];
  for (const [x, y] of points) {
    xx += (x - mx) ** 2;
    xy += (x - mx) * (y - my);
    yy += (y - my) ** 2;
  }
  const middle = (xx + yy) / 2;
  const radius = Math.hypot((xx - yy) / 2, xy);
  const ratio = middle + radius > 0 ? Math.sqrt(Math.max(0, middle - radius) / (middle + radius)) : 1;
  return { angle: 0.5 * Math.atan2(2 * xy, xx - yy), ratio };
}

const turnsBetween = (a, b) => Math.abs(Math.atan2(Math.sin(a - b), Math.cos(a - b)));

/** Unit vector towards the camera: across the longer principal axis, a little aside; from higher up where all is flat. */
export function chooseView(points) {
  const { angle, ratio } = principalAxes(points);
  let { azimuth, elevation } = USUAL;
  if (ratio < 0.8) {
    const across = [angle + Math.PI / 2, angle - Math.PI / 2];
    const candidates = across.flatMap((a) => [a - ASIDE, a + ASIDE]);
    azimuth = candidates.reduce((best, a) => (turnsBetween(a, azimuth) < turnsBetween(best, azimuth) ? a : best));
  }
  const { low, high } = bounds(points);
  const width = Math.hypot(high[0] - low[0], high[1] - low[1]);
  const flat = width > 0 ? Math.max(0, 1 - (high[2] - low[2]) / (0.6 * width)) : 0;
  elevation += 0.25 * flat;
  return [Math.cos(elevation) * Math.cos(azimuth), Math.cos(elevation) * Math.sin(azimuth), Math.sin(elevation)];
}

/** Coordinates of points in the picture's frame: right, up, towards the camera; relative to the first argument. */
function turned(center, view, points) {
  const flat = Math.hypot(view[0], view[1]) || 1;
  const right = [-view[1] / flat, view[0] / flat, 0];
  const up = [-view[2] * right[1], view[2] * right[0], view[0] * right[1] - view[1] * right[0]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const inFrame = points.map((p) => {
    const d = [p[0] - center[0], p[1] - center[1], p[2] - center[2]];
    return [dot(d, right), dot(d, up), dot(d, view)];
  });
  return { right, up, inFrame };
}

/**
 * One direction of the picture. A point at x, z is within [low, high] (of -1 to 1) as seen from (place, distance) if
 * low <= (x - place) / (half (distance - z)) <= high, which is linear in both unknowns.
 */
function along(points, axis, half, low, high) {
  let [least, most] = [Infinity, -Infinity];
  for (const p of points) {
    least = Math.min(least, p[axis] + low * half * p[2]);
    most = Math.max(most, p[axis] + high * half * p[2]);
  }
  const place = (distance) => (least + most - (low + high) * half * distance) / 2;
  return { distance: (most - least) / (half * (high - low)), place };
}

/** Smallest distance from which the points fit into a part of the picture, and where the camera looks then. */
function fitInto(points, lens, part) {
  const across = along(points, 0, lens.wide, 2 * part.left - 1, 1 - 2 * part.right);
  const upright = along(points, 1, lens.tall, 2 * part.bottom - 1, 1 - 2 * part.top);
  const nearest = points.reduce((most, p) => Math.max(most, p[2]), 0);
  const distance = Math.max(across.distance, upright.distance, 1.1 * nearest, 1e-3); // never inside
  return { distance, x: across.place(distance), y: upright.place(distance) };
}

/** Places of the points in the picture, 0 to 1 from its upper left corner. */
function places(points, { distance, x, y }, lens) {
  return points.map(([px, py, pz]) => {
    const depth = distance - pz;
    return [0.5 + (px - x) / (2 * depth * lens.wide), 0.5 - (py - y) / (2 * depth * lens.tall)];
  });
}

/** True when a straight line passes between the points of a picture and a rectangle. */
export function clearOf(points, { left, right, top, bottom }) {
  const corners = [[left, top], [right, top], [left, bottom], [right, bottom]];
  for (let k = 0; k < 32; k++) {
    const [x, y] = [Math.cos((k * Math.PI) / 16), Math.sin((k * Math.PI) / 16)];
    const reach = Math.max(...points.map((p) => x * p[0] + y * p[1]));
    if (corners.every((c) => x * c[0] + y * c[1] >= reach - 1e-9)) return true;
  }
  return false;
}

/** Ways to keep clear of a card: stay away from one of its sides of the picture, or trust that nothing gets there. */
function ways(card) {
  const sides = [{ left: card.right }, { right: 1 - card.left }, { top: card.bottom }, { bottom: 1 - card.top }];
  return [{}, ...sides.filter((side) => Object.values(side)[0] < 0.6)]; // of equals the first wins: do not move aside in vain
}

const widest = (a, b) => Object.fromEntries(["left", "right", "top", "bottom"].map((s) => [s, Math.max(a[s], b[s] ?? 0)]));

/**
 * Target and distance of a camera that looks along -view and sees all points as large as can be, clear of the cards.
 * lens: tangents {wide, tall} of half the angles of view; cards: rectangles in parts of the picture; pad: kept at edges.
 */
export function fitView(points, view, lens, cards = [], pad = 0.03) {
  const { low, high } = bounds(points);
  const center = low.map((x, k) => (x + high[k]) / 2);
  const { right, up, inFrame } = turned(center, view, points);
  const edge = { left: pad, right: pad, top: pad, bottom: pad };
  const grown = cards.map((c) => ({ left: c.left - pad / 2, right: c.right + pad / 2, top: c.top - pad / 2, bottom: c.bottom + pad / 2 }));
  const parts = grown.reduce((list, card) => list.flatMap((part) => ways(card).map((way) => widest(part, way))), [edge]);
  let best = null;
  for (const part of parts) {
    if (part.left + part.right > 0.9 || part.top + part.bottom > 0.9) continue;
    const found = fitInto(inFrame, lens, part);
    if (best && found.distance >= best.distance) continue;
    const seen = places(inFrame, found, lens);
    if (grown.every((card) => clearOf(seen, card))) best = found;
  }
  best ??= fitInto(inFrame, lens, edge); // cards leave no room: the picture matters more
  const target = center.map((c, k) => c + best.x * right[k] + best.y * up[k]);
  return { target, distance: best.distance };
}
