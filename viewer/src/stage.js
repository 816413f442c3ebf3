// Renderer, lights, camera: everything that is the same for every mechanism.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { RoomEnvironment } from "three/examples/jsm/environments/RoomEnvironment.js";
import { chooseView, fitView, outermost } from "./fit.js";
import { Ground } from "./ground.js";

/** True where WebGL runs on the CPU: shadows and reflections would stutter there. */
export function softwareRendering() {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return false;
  const extension = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(extension ? extension.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/** True where the user asked the system for less motion. */
export function reducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

export class Stage {
  constructor(container, { lite, up }) {
    this.container = container;
    this.lite = lite ?? softwareRendering();
    this.renderer = new THREE.WebGLRenderer({ antialias: !this.lite, alpha: true, stencil: this.lite });
    this.sharp = this.lite ? 2 : Math.min(2, window.devicePixelRatio);
    this.coarse = Math.min(1, this.sharp); // lite mode: pixel ratio while things move, lowered until the motion is fluid
    this.touched = 0;
    this.renderer.setPixelRatio(this.sharp);
    document.documentElement.classList.toggle("is-lite", this.lite);
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    container.append(this.renderer.domElement);

    this.scene = new THREE.Scene();
    this.root = new THREE.Group(); // turns the mechanism's "up" into z, so that camera and floor need not know
    this.root.quaternion.setFromUnitVectors(new THREE.Vector3(...up).normalize(), new THREE.Vector3(0, 0, 1));
    this.scene.add(this.root);
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.01, 1000);
    this.camera.up.set(0, 0, 1);
    this.ground = new Ground();
    this.scene.add(this.ground.group);
    this.#light();

    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = !reducedMotion();
    this.controls.dampingFactor = 0.12;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => {
      this.touched = performance.now();
      this.invalidate();
    });
    this.cards = () => []; // rectangles of the picture that are covered, in parts of it

    this.dirty = true;
    this.frame = 0;
    this.#surviveLoss();
    new ResizeObserver(() => this.#resize()).observe(container);
    this.#resize();
  }

  #light() {
    this.key = new THREE.DirectionalLight("#fff4e6", 2.3);
    this.rim = new THREE.DirectionalLight("#bcd2ff", 0.7);
    this.scene.add(this.key, this.key.target, this.rim, this.rim.target);
    if (this.lite) {
      this.scene.add(new THREE.HemisphereLight("#ffffff", "#a8adba", 2.1));
      return;
    }
    this.#surround();
    this.scene.environmentIntensity = 0.55;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(2048, 2048);
  }

  /** Make the reflections; they are drawn by the graphics card and are lost with it. */
  #surround() {
    this.reflections?.dispose();
    const generator = new THREE.PMREMGenerator(this.renderer);
    const room = new RoomEnvironment();
    this.reflections = generator.fromScene(room, 0.04);
    this.scene.environment = this.reflections.texture;
    room.dispose();
    generator.dispose();
  }

  /** The system may take the graphics card away (sleep, driver, too many pages) and give it back: draw all again. */
  #surviveLoss() {
    const canvas = this.renderer.domElement;
    canvas.addEventListener("webglcontextlost", () => this.onLoss?.(true));
    canvas.addEventListener("webglcontextrestored", () => {
      if (!this.lite) this.#surround();
      this.key.shadow.map?.dispose();
      this.key.shadow.map = null;
      this.onLoss?.(false);
      this.invalidate();
    });
  }

  /**
   * Frame a motion by its outermost points [x, y, z] in world coordinates: camera, floor, lights, shadows.
   * What stands still may stand on the floor: moving and fixed points come apart.
   */
  frameMotion(moving, fixed, floor = null) {
    const all = [...moving, ...fixed];
    const box = new THREE.Box3().setFromPoints(all.map((p) => new THREE.Vector3(...p)));
    const center = box.getCenter(new THREE.Vector3());
    const size = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 1e-3);
    this.home = { size, view: chooseView(all), points: outermost(all, 240) };
    this.ground.place(floor ?? floorHeight(moving, fixed, size), center, size);
    this.#aimLights(center, size);
    this.goHome();
  }

  #aimLights(center, size) {
    this.key.position.copy(center).add(new THREE.Vector3(1.6, -1.3, 3.2).multiplyScalar(size));
    this.rim.position.copy(center).add(new THREE.Vector3(-2.4, 2.6, 1.2).multiplyScalar(size));
    this.key.target.position.copy(center);
    this.rim.target.position.copy(center);
    const shadow = this.key.shadow;
    const reach = 1.7 * size;
    Object.assign(shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.5 * size, far: 8 * size });
    shadow.camera.updateProjectionMatrix();
    shadow.bias = -0.0008;
    shadow.normalBias = 0.006 * size;
    shadow.radius = 5;
  }

  /** Put the camera where the whole motion is in view, clear of the cards. */
  goHome() {
    const { controls, camera } = this;
    const { size, view, points } = this.home;
    const tall = Math.tan(THREE.MathUtils.degToRad(camera.fov / 2));
    const { target, distance } = fitView(points, view, { wide: tall * camera.aspect, tall }, this.cards());
    const damping = controls.enableDamping;
    controls.enableDamping = false;
    controls.update(); // spends what is left of the user's last swing; without damping nothing of it remains
    camera.position.fromArray(target).addScaledVector(new THREE.Vector3(...view), distance);
    camera.near = distance / 200;
    camera.far = distance * 30;
    controls.minDistance = 0.05 * size;
    controls.maxDistance = 12 * distance;
    controls.target.fromArray(target);
    camera.updateProjectionMatrix();
    controls.update();
    controls.enableDamping = damping;
    this.invalidate();
  }

  setTheme(dark) {
    this.ground.setTheme(dark);
    this.key.intensity = dark ? 2.0 : 2.3;
    if (!this.lite) this.scene.environmentIntensity = dark ? 0.5 : 0.6;
    this.invalidate();
  }

  invalidate() {
    this.dirty = true;
  }

  /** Render if anything changed since the last call; `seconds` since then tells whether the machine keeps up. */
  render(moving, seconds) {
    this.controls.update();
    if (this.lite) this.#adapt(moving, seconds);
    if (!this.dirty) return;
    this.dirty = false;
    this.renderer.render(this.scene, this.camera);
    this.frame += 1;
  }

  /** Coarse pixels while something moves, fine ones (which also smooth edges) once it rests. */
  #adapt(playing, seconds) {
    const moving = playing || performance.now() - this.touched < 400;
    if (moving && seconds > 0.07) this.coarse = Math.max(0.4, 0.85 * this.coarse);
    else if (moving && seconds < 0.02) this.coarse = Math.min(1, 1.02 * this.coarse);
    const wanted = moving ? this.coarse : this.sharp;
    if (Math.abs(this.renderer.getPixelRatio() - wanted) < 0.08) return;
    this.renderer.setPixelRatio(wanted);
    this.#resize();
  }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.container;
    if (!width || !height) return;
    const portraitBefore = this.camera.aspect < 1;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.home && portraitBefore !== this.camera.aspect < 1) this.goHome();
    this.invalidate();
  }
}

/** Where the floor is: under what stands still if that reaches lowest, else clear of what moves. */
function floorHeight(moving, fixed, size) {
  const lowest = (points) => points.reduce((low, p) => Math.min(low, p[2]), Infinity);
  const [hanging, standing] = [lowest(moving), lowest(fixed)];
  if (standing <= hanging + 0.01 * size) return standing;
  const touches = Math.abs(hanging) < 0.02 * size; // what rolls on z = 0 touches the floor
  return touches ? hanging : hanging - 0.12 * size;
}
