// Classical Runge-Kutta of order four over generated dynamics, with no allocation per step.

export class Integrator {
  /** dynamics: see the contract in live.py; q0, v0: start; gravity: [x, y, z]; dt: seconds. */
  constructor(dynamics, { q0, v0, gravity, dt }) {
    this.dynamics = dynamics;
    this.dt = dt;
    this.gravity = Float64Array.from(gravity);
    this.damping = 0;
    this.wrenches = null;
    const vector = (n) => new Float64Array(n);
    const { nq, nv } = dynamics;
    Object.assign(this, { q: vector(nq), v: vector(nv), tau: vector(nv), start: { q: Float64Array.from(q0), v: Float64Array.from(v0) } });
    this.stage = { q: vector(nq), v: vector(nv) };
    this.rates = [0, 1, 2, 3].map(() => ({ q: vector(nq), v: vector(nv) }));
    this.reset();
  }

  reset() {
    this.q.set(this.start.q);
    this.v.set(this.start.v);
    this.time = 0;
    this.steps = 0;
  }

  #rate(q, v, out) {
    for (let i = 0; i < v.length; i++) this.tau[i] = -this.damping * v[i];
    this.dynamics.forward(q, v, this.tau, this.gravity, this.wrenches, out.v);
    if (this.dynamics.rate) this.dynamics.rate(q, v, out.q);
    else out.q.set(v);
  }

  #move(rate, by) {
    const { q, v, stage } = this;
    for (let i = 0; i < q.length; i++) stage.q[i] = q[i] + by * rate.q[i];
    for (let i = 0; i < v.length; i++) stage.v[i] = v[i] + by * rate.v[i];
    return stage;
  }

  /** One step of length dt. */
  step() {
    const { q, v, dt, rates, dynamics } = this;
    this.#rate(q, v, rates[0]);
    for (let k = 1; k < 4; k++) {
      const { q: sq, v: sv } = this.#move(rates[k - 1], k === 3 ? dt : 0.5 * dt);
      this.#rate(sq, sv, rates[k]);
    }
    const [a, b, c, d] = rates;
    for (let i = 0; i < q.length; i++) q[i] += (dt / 6) * (a.q[i] + 2 * b.q[i] + 2 * c.q[i] + d.q[i]);
    for (let i = 0; i < v.length; i++) v[i] += (dt / 6) * (a.v[i] + 2 * b.v[i] + 2 * c.v[i] + d.v[i]);
    if (dynamics.chart) dynamics.chart(q, v); // e.g. a rotation vector near 2 pi is rewritten
    this.steps += 1;
    this.time = this.steps * dt;
  }

  /** Kinetic and potential energy now. */
  energy() {
    return this.dynamics.energy(this.q, this.v, this.gravity);
  }

  finite() {
    return this.q.every(Number.isFinite) && this.v.every(Number.isFinite);
  }
}
