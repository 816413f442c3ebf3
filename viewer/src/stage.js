// Renderer, lights, camera: everything that is the same for every mechanism.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { RoomEnvironment } from "three/examples/jsm/environments/RoomEnvironment.js";
import { fitView } from "./fit.js";
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
    this.ground = new Ground(this.lite);
    this.scene.add(this.ground.group);
    this.#light();

    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => {
      this.touched = performance.now();
      this.invalidate();
    });
    this.margins = () => ({ left: 0.05, right: 0.05, top: 0.06, bottom: 0.08 }); // parts of the picture kept free
   
    this.dirty = true;
    this.frame = 0;
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
    const generator = new THREE.PMREMGenerator(this.renderer);
    this.scene.environment = generator.fromScene(new RoomEnvironment(), 0.04).texture;
    this.scene.environmentIntensity = 0.55;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(2048, 2048);
  }

  /** Frame a box, and spheres [x, y, z, r] within it, in the mechanism's coordinates: camera, floor, lights, shadows. */
  frameMotion(box, spheres) {
    const world = box.clone().applyMatrix4(new THREE.Matrix4().makeRotationFromQuaternion(this.root.quaternion));
    const center = world.getCenter(new THREE.Vector3());
    const extent = world.getSize(new THREE.Vector3());
    const size = Math.max(extent.length() / 2, 1e-3);
    const bottom = world.min.z;
    const gap = Math.abs(bottom) < 0.02 * size ? 0 : 0.12 * size; // what rolls on z = 0 touches the floor
    this.ground.place(bottom - gap, center, size);
    this.#aimLights(center, size);
    const turned = spheres.map(([x, y, z, r]) => ({ p: new THREE.Vector3(x, y, z).applyQuaternion(this.root.quaternion), r }));
    this.home = { center, size, spheres: turned };
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

  /** Put the camera where the whole motion is in view, clear of the controls at the bottom. */
  goHome() {
    const { center, size, spheres } = this.home;
    const view = new THREE.Vector3(0.62, -1, 0.36).normalize();
    const { target, distance } = fitView(this.camera, view, spheres, center, this.margins());
    this.camera.position.copy(target).addScaledVector(view, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 30;
    this.controls.minDistance = 0.05 * size;
    this.controls.maxDistance = 12 * distance;
    this.controls.target.copy(target);
    this.camera.updateProjectionMatrix();
    this.controls.update();
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
