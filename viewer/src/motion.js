// The state of a live page: coordinates, velocities, time, and what the sliders and the pointer add.

export class Motion {
  /** dynamics: see the contract in live.py; q0, v0: start; gravity: [x, y, z]; dt: seconds. */
  constructor(dynamics, { q0, v0, gravity, dt }) {
    this.dynamics = dynamics;
    this.dt = dt;
    this.gravity = Float64Array.from(gravity);
    this.damping = 0;
    this.wrenches = null;
    this.start = { q: Float64Array.from(q0), v: Float64Array.from(v0) };
    Object.assign(this, { q: new Float64Array(dynamics.nq), v: new Float64Array(dynamics.nv) });
    this.reset();
  }

  reset() {
    this.q.set(this.start.q);
    this.v.set(this.start.v);
    this.time = 0;
    this.steps = 0;
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
