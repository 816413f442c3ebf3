// What the pointer does to bodies: select on a click, pull on a drag (live pages).
import * as THREE from "three";

export class Pointer {
  constructor(viewer) {
    this.viewer = viewer;
    this.caster = new THREE.Raycaster();
    const canvas = viewer.stage.renderer.domElement;
    // Capture phase: a pull must win over the orbit controls, which listen on the same canvas.
    canvas.addEventListener("pointerdown", (event) => this.#down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerup", (event) => this.#up(event));
    canvas.addEventListener("pointercancel", (event) => this.#up(event));
  }

  #aim(event) {
    const { camera, renderer } = this.viewer.stage;
    const bounds = renderer.domElement.getBoundingClientRect();
    const x = ((event.clientX - bounds.left) / bounds.width) * 2 - 1;
    const y = 1 - ((event.clientY - bounds.top) / bounds.height) * 2;
    this.caster.setFromCamera(new THREE.Vector2(x, y), camera);
  }

  #hit(event) {
    this.#aim(event);
    const [first] = this.caster.intersectObjects(this.viewer.bodies.groups, true);
    return first ? { body: first.object.parent.userData.body, point: first.point } : null;
  }

  #down(event) {
    if (event.button !== 0) return;
    this.start = { x: event.clientX, y: event.clientY, hit: this.#hit(event) };
    const { pull, stage } = this.viewer;
    if (!pull || !this.start.hit) return;
    stage.controls.enabled = false;
    stage.renderer.domElement.setPointerCapture(event.pointerId);
    pull.begin(this.start.hit.body, this.start.hit.point);
  }

  #move(event) {
    const { pull, stage, source } = this.viewer;
    if (pull?.grab) {
      this.#aim(event);
      pull.drag(this.caster.ray);
      if (!source.playing) this.viewer.show();
    } else if (pull && event.pointerType === "mouse" && !event.buttons) {
      stage.renderer.domElement.style.cursor = this.#hit(event) ? "grab" : "";
    }
  }

  #up(event) {
    const { pull, stage } = this.viewer;
    pull?.end();
    stage.controls.enabled = true;
    if (!this.start) return;
    const moved = Math.hypot(event.clientX - this.start.x, event.clientY - this.start.y);
    if (moved < 4) this.viewer.select(this.start.hit ? this.start.hit.body : -1);
    this.start = null;
  }
}
