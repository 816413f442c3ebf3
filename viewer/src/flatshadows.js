// Shadows for lite mode: every body once more, squashed onto the floor along the light. Costs no shadow map.
import * as THREE from "three";

/** The projection along `light` (a direction towards the light) onto the plane z = height. */
function squash(light, height, out) {
  const x = light.x / light.z;
  const y = light.y / light.z;
  return out.set(1, 0, -x, x * height, 0, 1, -y, y * height, 0, 0, 0, height, 0, 0, 0, 1);
}

export class FlatShadows {
  constructor(bodies, stage, others) {
    this.stage = stage;
    // The stencil counts: where one shadow lies, the next one adds nothing.
    this.material = new THREE.MeshBasicMaterial({
      color: "#000", transparent: true, depthWrite: false, side: THREE.DoubleSide,
      stencilWrite: true, stencilRef: 0, stencilFunc: THREE.EqualStencilFunc, stencilZPass: THREE.IncrementStencilOp,
    });
    this.group = new THREE.Group();
    this.group.matrixAutoUpdate = false;
    this.casting = [...bodies.groups, bodies.fixed, ...bodies.ofVariants, ...others];
    this.copies = this.casting.map((group) => this.#copy(group));
    this.group.add(...this.copies);
    stage.scene.add(this.group);
  }

  #copy(group) {
    const copy = new THREE.Group();
    copy.matrixAutoUpdate = false;
    copy.matrix = group.matrix; // shared: it follows its body
    for (const mesh of group.children) {
      if (!mesh.castShadow) continue;
      const shadow = new THREE.Mesh(mesh.geometry, this.material);
      shadow.matrixAutoUpdate = false;
      shadow.matrix = mesh.matrix;
      shadow.renderOrder = -2;
      shadow.frustumCulled = false;
      copy.add(shadow);
    }
    return copy;
  }

  update(dark) {
    const { key, root, ground } = this.stage;
    const light = key.position.clone().sub(key.target.position);
    root.updateMatrix();
    squash(light, ground.group.position.z, this.group.matrix).multiply(root.matrix);
    this.material.opacity = dark ? 0.42 : 0.15;
    this.group.matrixWorldNeedsUpdate = true;
    this.copies.forEach((copy, i) => {
      copy.matrixWorldNeedsUpdate = true;
      copy.visible = this.casting[i].visible;
    });
  }
}
