"""See a motion: self-contained browser pages, live physics, notebooks, pictures, video and plots."""

from anyjoint.view.live import live_page, live_scene, model_info
from anyjoint.view.notebook import notebook_html
from anyjoint.view.page import page_text, write_page
from anyjoint.view.record import trajectory_page, trajectory_scene
from anyjoint.view.scene import BodyDrawing, Motion, Scene
from anyjoint.view.script import dynamics_script, model_page
from anyjoint.view.variants import variants_page, variants_scene

__all__ = [
    "BodyDrawing",
    "Motion",
    "Scene",
    "dynamics_script",
    "live_page",
    "live_scene",
    "model_info",
    "model_page",
    "notebook_html",
    "page_text",
    "trajectory_page",
    "trajectory_scene",
    "variants_page",
    "variants_scene",
    "write_page",
]
