// The state of a live page: coordinates, velocities, time, and what the sliders and the pointer add.

const STAGES = 40; // on the way to another start, so that linkages stay in the way they are folded
const PROJECTIONS = 4; // onto constraints, for each of them
const MOMENT = 1e-9; // seconds in which nothing moves but what is put back onto constraints

export class Motion {
  /** dynamics: see the contract in live.py; q0, v0: start; gravity: [x, y, z]; dt: seconds. */
  constructor(dynamics, { q0, v0, gravity, dt }) {
    this.dynamics = dynamics;
    this.dt = dt;
    this.gravity = Float64Array.from(gravity);
    this.damping = 0;
    this.wrenches = null;
    this.start = { q: Float64Array.from(q0), v: Float64Array.from(v0) };
    this.wanted = Float64Array.from(v0); // velocities of the start, before constraints have their say
    Object.assign(this, { q: new Float64Array(dynamics.nq), v: new Float64Array(dynamics.nv) });
    this.reset();
  }

  reset() {
    this.q.set(this.start.q);
    this.v.set(this.start.v);
    this.time = 0;
    this.steps = 0;
  }

  /** Start with another value of a coordinate; where there are constraints, at the state on them that comes near. */
  begin(index, x) {
    const { dynamics, start, q, v } = this;
    const from = start.q[index];
    const project = () => dynamics.step(q, v, { gravity: this.gravity, wrenches: null, damping: 0, time: 0 }, MOMENT);
    q.set(start.q);
    v.set(this.wanted);
    q[index] = x;
    for (let k = 0; dynamics.constrained && k < 2 * STAGES * PROJECTIONS; k++) {
      q[index] = from + Math.min(1, Math.ceil((k + 1) / PROJECTIONS) / STAGES) * (x - from); // the others follow
      project();
    }
    for (let k = 0; dynamics.constrained && k < PROJECTIONS; k++) project();
    if (this.finite()) {
      start.q.set(q);
      start.v.set(v);
    }
    this.reset();
  }

  /** One step of length dt, by generated code. */
  step() {
    this.dynamics.step(this.q, this.v, this, this.dt);
    this.steps += 1;
    this.time = this.steps * this.dt;
  }

  /** Kinetic and potential energy now. */
  energy() {
    return this.dynamics.energy(this.q, this.v, this.gravity);
  }

  finite() {
    return this.q.every(Number.isFinite) && this.v.every(Number.isFinite);
  }
}
