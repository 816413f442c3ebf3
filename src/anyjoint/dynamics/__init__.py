"""The equations of motion: algorithms as short lists of sweeps over a tree, written over any scalar."""
