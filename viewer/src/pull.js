// Pulling a body with the pointer: a spring from the grabbed point to the pointer, as a wrench on the body.
import * as THREE from "three";

export class Pull {
  constructor(stage, bodies, live, masses, onChange) {
    Object.assign(this, { stage, bodies, live, onChange });
    this.total = masses.reduce((sum, mass) => sum + mass, 0) || 1;
    this.strength = 1;
    this.grab = null;
    this.target = new THREE.Vector3();
    this.rows = new Float64Array(12 * bodies.groups.length);
    this.toMechanism = stage.root.quaternion.clone().invert();
    this.#drawing();
    live.beforeStep = () => this.#apply();
  }

  #drawing() {
    const color = "#ff7a1a";
    const material = new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.95 });
    this.rope = new THREE.Mesh(new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0), material);
    this.knot = new THREE.Mesh(new THREE.SphereGeometry(1, 16, 12), material);
    this.rope.renderOrder = this.knot.renderOrder = 7;
    this.rope.visible = this.knot.visible = false;
    this.stage.root.add(this.rope, this.knot);
  }

  /** Grab a body at a world point. */
  begin(body, worldPoint) {
    const point = worldPoint.clone().applyQuaternion(this.toMechanism);
    const local = point.clone().applyMatrix4(this.bodies.groups[body].matrix.clone().invert());
    this.grab = { body, local, last: null };
    this.target.copy(point);
    this.plane = new THREE.Plane().setFromNormalAndCoplanarPoint(
      this.stage.camera.getWorldDirection(new THREE.Vector3()), worldPoint);
    this.live.motion.wrenches = new Float64Array(6 * this.bodies.groups.length);
    this.onChange();
  }

  /** Move the target to where a ray meets the plane of the grab. */
  drag(ray) {
    const hit = ray.intersectPlane(this.plane, new THREE.Vector3());
    if (hit) this.target.copy(hit.applyQuaternion(this.toMechanism));
  }

  end() {
    if (!this.grab) return;
    this.grab = null;
    this.live.motion.wrenches = null;
    this.live.rebase();
    this.onChange();
  }

  /** World position of the grabbed point. */
  #point(rows, out) {
    const { body, local } = this.grab;
    const at = 12 * body;
    return out.set(
      rows[at] * local.x + rows[at + 1] * local.y + rows[at + 2] * local.z + rows[at + 3],
      rows[at + 4] * local.x + rows[at + 5] * local.y + rows[at + 6] * local.z + rows[at + 7],
      rows[at + 8] * local.x + rows[at + 9] * local.y + rows[at + 10] * local.z + rows[at + 11],
    );
  }

  /** Spring and damper between point and target, written as a body wrench: [torque, force]. */
  #apply() {
    if (!this.grab) return;
    const { motion } = this.live;
    const { dynamics, wrenches, dt } = motion;
    dynamics.poses(motion.q, this.rows);
    const point = this.#point(this.rows, new THREE.Vector3());
    const velocity = this.grab.last ? point.clone().sub(this.grab.last).divideScalar(dt) : new THREE.Vector3();
    this.grab.last = point.clone();
    const stiffness = this.strength * this.total * 40;
    const damping = this.strength * this.total * 2.5;
    const force = this.target.clone().sub(point).multiplyScalar(stiffness).addScaledVector(velocity, -damping);
    const at = 12 * this.grab.body;
    const r = this.rows;
    const body = new THREE.Vector3( // R^T f
      r[at] * force.x + r[at + 4] * force.y + r[at + 8] * force.z,
      r[at + 1] * force.x + r[at + 5] * force.y + r[at + 9] * force.z,
      r[at + 2] * force.x + r[at + 6] * force.y + r[at + 10] * force.z,
    );
    const torque = this.grab.local.clone().cross(body);
    wrenches.set([torque.x, torque.y, torque.z, body.x, body.y, body.z], 6 * this.grab.body);
  }

  /** Draw the rope. */
  update(size) {
    this.rope.visible = this.knot.visible = Boolean(this.grab);
    if (!this.grab) return;
    const point = this.#point(this.live.rows, new THREE.Vector3());
    const along = this.target.clone().sub(point);
    const width = 0.006 * size;
    this.rope.position.copy(point);
    this.rope.scale.set(width, Math.max(along.length(), 1e-6), width);
    this.rope.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.normalize());
    this.knot.position.copy(this.target);
    this.knot.scale.setScalar(3 * width);
  }
}
