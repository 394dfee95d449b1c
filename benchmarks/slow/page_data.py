"""Writes what the programs on the rule pages read: data of the right shapes, one file per row, MNIST, and checkpoints.

Run by the MindSpore at hand, in the folder of the programs; see page_programs.py.
"""

import os
import struct

import mindspore as ms
import numpy as np
from mindspore import nn
from mindspore.mindrecord import FileWriter

random = np.random.RandomState(0)
shapes = {"sequences": (8, 64), "images": (1, 32, 32), "measurements": (30,)}
for name in ("train", "valid", "test", *shapes):
    data = random.randn(64, *shapes.get(name, (64,))).astype(np.float32)
    np.savez(f"{name}.npz", data=data, label=random.randint(0, 10, 64).astype(np.int32))
for name in ("train", "test"):
    writer = FileWriter(f"{name}.mindrecord", overwrite=True)
    writer.add_schema({"data": {"type": "float32", "shape": [64]}, "label": {"type": "int32"}})
    for row in range(64):
        writer.write_raw_data([{"data": random.randn(64).astype(np.float32), "label": row % 10}])
    writer.commit()
for row in range(64):
    np.savez(f"row-{row}.npz", data=random.randn(64).astype(np.float32), label=np.int32(row % 10))
with open("train.txt", "w") as names:
    names.write(" ".join(f"row-{row}.npz" for row in range(64)))
os.makedirs("mnist", exist_ok=True)
with open("mnist/train-images-idx3-ubyte", "wb") as images:
    images.write(struct.pack(">IIII", 2051, 64, 28, 28) + bytes(64 * 28 * 28))
with open("mnist/train-labels-idx1-ubyte", "wb") as labels:
    labels.write(struct.pack(">II", 2049, 64) + bytes(row % 10 for row in range(64)))
weights = nn.SequentialCell(nn.Dense(64, 128), nn.ReLU(), nn.Dense(128, 10))
for name in ("net", *(f"net-{epoch}" for epoch in range(10))):
    ms.save_checkpoint(weights, f"{name}.ckpt")
