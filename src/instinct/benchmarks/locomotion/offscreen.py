"""Render positions of a MuJoCo model in a process of its own: MODEL POSITIONS.npy FRAMES.npy.

The library that draws is chosen when MuJoCo is imported, and a broken one can end the process. So
this file imports nothing of the package.
"""

import sys

import mujoco  # type: ignore[import-untyped]
import numpy as np

HEIGHT, WIDTH = 180, 200


def main(model_file: str, positions_file: str, frames_file: str) -> None:
    model = mujoco.MjModel.from_xml_path(model_file)
    data = mujoco.MjData(model)
    frames = []
    with mujoco.Renderer(model, HEIGHT, WIDTH) as renderer:
        for positions in np.load(positions_file, allow_pickle=False):
            data.qpos[:] = positions
            mujoco.mj_forward(model, data)
            renderer.update_scene(data, camera="track")
            frames.append(renderer.render())
    np.save(frames_file, np.array(frames), allow_pickle=False)


if __name__ == "__main__":
    main(*sys.argv[1:4])
