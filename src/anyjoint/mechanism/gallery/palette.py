"""Colours of the gallery."""

INK, STEEL, IVORY = "#2f3542", "#8a97a8", "#f1ece2"
CORAL, AMBER, SAND = "#e4572e", "#f3a712", "#e8cfa6"
TEAL, SEA, SKY = "#2a9d8f", "#3d7ea6", "#8fb8de"
PLUM, ROSE = "#7d5ba6", "#d1495b"
