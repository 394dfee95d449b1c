"""MSP401 single-worker-generator: what is reported, with which safety, and what is not."""

from __future__ import annotations

import pytest
from programs import Program, case, fires, join, quiet

CODE = "MSP401"

IMPORTS = """
    import argparse
    import random

    import cv2
    import numpy as np
    import mindspore as ms
    import mindspore.dataset as ds
    from mindspore import nn
    from PIL import Image

    """
SOURCE = """
    class Source:
        def __init__(self, files, transform=None):
            self.files = files
            self.data = np.load("all.npy")
            self.transform = transform
            self.count = 0
            self.made = {made}

        def __getitem__(self, index):
            {row}
            return row

        def __len__(self):
            return len(self.files)

        def read(self, name):
            return np.fromfile(name)


    """
MAKE = "train_set = ds.GeneratorDataset(Source(files), ['x'])  # ! unsafe\n"
TRAIN = """
    train_set = train_set.batch(32, True)
    net = nn.Dense(64, 16)
    model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
    model.train(10, train_set)
    """
OPTION = """
p = argparse.ArgumentParser()
p.add_argument("--workers", type=int, default=1)
p.add_argument("--level", type=int, default=1)
p.add_argument("--distribute", action="store_true")
args = p.parse_args()
"""
GIVEN = "ds.GeneratorDataset(Source(files), ['x'], num_parallel_workers="
START = 'files = open("list").read().split()\n'
LOOP = """
    net = nn.Dense(64, 16)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params()))
    for epoch in range(3):
        for batch in train_set.batch(32).create_dict_iterator():
            step(batch["x"], batch["x"])
    """
TAKES = """
    net = nn.Dense(64, 16)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params()))
    rows = train_set.batch(32).create_dict_iterator()
    others = ds.MindDataset("other.mindrecord").batch(32)
    for i in range(1000):
        {body}
    """
ITERATOR = "train_set.batch(32).create_dict_iterator()"
EPOCH = LOOP.replace(
    "for epoch",
    "def run(rows):\n        for row in rows.create_dict_iterator():\n            step(row['x'], 1)\n\n    for epoch",
)
EPOCH = f"{EPOCH[: EPOCH.rindex('        for batch')]}        run(train_set.batch(32))\n    "
DIRECT = LOOP.replace(ITERATOR, "train_set.batch(32)")
ONCE = LOOP.replace("    for epoch", f"    rows = {ITERATOR}\n    for epoch").replace(f"in {ITERATOR}", "in rows")
STAGED = TRAIN.replace("model.train(10, train_set)", "for epoch in range(10):\n        model.train(1, train_set)")
TOLD = """
    class Hook(ms.train.Callback):
        def on_train_epoch_begin(self, run_context):
            {change}


    net = nn.Dense(64, 16)
    model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
    model.train(10, train_set.batch(32, True), callbacks=[Hook()])
    """
TRANSFORMED = "row = self.transform(cv2.imread(self.files[index]))"
EACH = "row = cv2.imread(self.files[index])\n            for each in self.transform:\n                row = each(row)"
TRANSFORMS = """from mindspore.dataset.transforms import Compose

def flip(row):
    return row[::-1] if np.random.rand() > 0.5 else row

class Resize:
    def __call__(self, row):
        return cv2.resize(row, (8, 8))

class Flip:
    def __call__(self, row):
        return row[::-1] if np.random.rand() > 0.5 else row

class Mirror(Flip):
    pass

class Base:
    def __call__(self, row):
        return self.apply(row)

class Turn(Base):
    def apply(self, row):
        return np.rot90(row, np.random.randint(4))

class All:
    def __init__(self, inner):
        self.inner = inner

    def __call__(self, row):
        for each in self.inner:
            row = each(row)
        return row

"""
READ = "row = np.load(self.files[index])"
H5PY = "import h5py\n"


def source(row: str, made: str = "None") -> str:
    return SOURCE.format(row=row, made=made)


def program(name: str, row: str, make: str = MAKE, train: str = TRAIN, made: str = "None") -> object:
    """Return a program whose source makes a row so; `made`: what it holds beside its files."""
    return case(name, IMPORTS, source(row, made), START, make, train)


def silent(name: str, row: str = READ, make: str = MAKE, train: str = TRAIN) -> object:
    return program(name, row, make.replace("  # ! unsafe", ""), train)


DECIDED = (  # the number of workers: what says it, and what is passed
    (
        "an option",
        "parser = argparse.ArgumentParser()\nparser.add_argument('--workers', type=int, default=1)\n"
        "args = parser.parse_args()\n",
        "args.workers",
    ),
    ("a key", "config = {'workers': 1}\n", "config['workers']"),
    ("a class", "class Config:\n    workers = 1\n\n\n", "Config.workers"),
    ("a constant", "WORKERS = 1\n", "WORKERS"),
)

FIRES = [
    program("loads an array", READ),
    program(
        "a slice of shuffled pairs, which the evaluator finds among its own parts",
        "row = self.read(self.files[index][0])",
        """
import random


def load(ratio):
    pairs = [(a, b) for a, b in zip(files, files)]
    random.shuffle(pairs)
    count = int(ratio * len(files))
    return pairs[0:count], pairs[count:]


files, others = load(0.3)
"""
        + MAKE,
    ),
    program("opens a file", "row = open(self.files[index]).read()"),
    program("opens an image", "row = np.asarray(Image.open(self.files[index]))"),
    program("reads an image", "row = cv2.imread(self.files[index])"),
    program("resizes", "row = cv2.resize(self.data[index], (224, 224))"),
    program("reads in a method", "row = self.read(self.files[index])"),
    program("transforms", "row = self.transform(self.data[index])", MAKE.replace("files)", "files, np.fft.fft)")),
    program(
        "loops over a batch",
        "row = np.stack([self.data[i] for i in index])\n            for i in index: row[i] = np.fft.fft(row[i])",
    ),
    case(
        "by index, with an iterator",
        IMPORTS,
        source(READ).replace("def read(self,", "def __iter__(self,"),
        START,
        MAKE,
        TRAIN,
    ),
    case(
        "by index, with `next`",
        IMPORTS,
        source(READ).replace("def read(self,", "def __next__(self,"),
        START,
        MAKE,
        TRAIN,
    ),
    program("one by keyword", READ, MAKE.replace("['x']", "['x'], num_parallel_workers=1")),
    program("one by position", READ, MAKE.replace("['x']", "['x'], None, None, None, 1")),
    program("workers of another stage", READ, train=TRAIN.replace("True)", "True, num_parallel_workers=8)")),
    program("workers of all others", READ, f"ds.config.set_num_parallel_workers(8)\n{MAKE}"),
    program("a hand-written loop", READ, train=LOOP),
    *(
        program(f"taken by {name}", READ, train=TAKES.format(body=body))
        for name, body in {
            "next": "batch = next(rows)\n        step(batch['x'], batch['x'])",
            "next in the call": "step(next(rows)['x'], next(rows)['x'])",
            "next of what is made there": "x = next(iter(train_set.batch(2).create_dict_iterator()))['x']; step(x, x)",
            "next, and given on": "batch = next(rows)\n        x = batch['x'] / 2\n        step(x, x)",
            "next beside another": "x, (y, *_) = next(rows)['x'], next(others)\n        step(y, x)",
        }.items()
    ),
    program("on a CPU", READ, f'ms.set_context(device_target="CPU")\n{MAKE}'),
    *(
        program(
            f"decided by {name}",
            READ,
            f"{before}train_set = ds.GeneratorDataset(Source(files), num_parallel_workers={given})  # ! no fix\n",
        )
        for name, before, given in DECIDED
    ),
    program(
        "decided by the caller of a function",
        READ,
        "def make(workers=1):\n"
        "    return ds.GeneratorDataset(Source(files), ['x'], num_parallel_workers=workers)  # ! no fix\n\n\n"
        "train_set = make()\n",
    ),
    *(
        program(
            f"decided by another option than the code around it: {test}",
            READ,
            f"{OPTION}if {test}:\n    train_set = {GIVEN}args.workers)  # ! no fix\nelse:\n    train_set = {GIVEN}4)\n",
        )
        for test in ("args.distribute", "args.level != 1")
    ),
    program(
        "rows that change the source",
        f"self.count += 1\n            {READ}",
        MAKE.replace("unsafe", "display-only"),
    ),
    *(
        program(
            f"rows that change {name}",
            f"{row}\n            {READ}",
            f"{before}{MAKE}".replace("unsafe", "display-only"),
        )
        for name, row, before in (
            ("a list of the source", "self.files.append(index)", ""),
            ("two attributes", "self.last, before = index, 0", ""),
            ("an attribute of an attribute", "self.transform.last = index", ""),
            ("the position in a file", "self.data.seek(index)", ""),
            ("an iterator", "next(self.transform)", ""),
            ("a list of the module", "seen.append(index)", "seen = []\n"),
            ("a table of the module", "seen[index] = 1", "seen = {}\n"),
            ("an attribute of a class", "Source.count = index", ""),
            ("a number of the module", "global seen; seen += 1", "seen = 0\n"),
            ("an array in which all rows are made", "self.made[:] = index", ""),
            ("a part of such an array", "self.made[:2] = index", ""),
            ("all of such an array", "self.made[...] = index", ""),
            ("a cache", "self.cache[index] = 0", ""),
            ("a row of a table", "self.cache[index, 0] = 0", ""),
            ("a cache that gives a row", "extra = self.cache.setdefault(index, index)", ""),
            ("a number of uses", "self.uses[index] += 1", ""),
            ("a set of bad rows", "self.bad.add(index)", ""),
            ("a table, by update", "self.cache.update({index: 1})", ""),
            ("a list that gets shorter", "extra = self.files.pop()", ""),
            ("a cache with a name", "cache = self.cache; cache[index] = 0", ""),
            ("a list with a name", "seen = self.seen; seen.append(index)", ""),
            ("the table of another object", "self.transform.seen[index] = 1", ""),
            (
                "the cache of a function",
                "extra = size(index)",
                "import functools\n@functools.lru_cache(None)\ndef size(i):\n    return i\n\n\n",
            ),
            (
                "the cache of a function, by name",
                "extra = size(index)",
                "from functools import cache\n@cache\ndef size(i):\n    return i\n\n\n",
            ),
        )
    ),
    *(
        program(
            f"workers that share {name}",
            f"extra = self.made\n            {READ}",
            f"{before}{MAKE}".replace("unsafe", "display-only"),
            made=made,
        )
        for name, made, before in (
            ("an open file", "open('all.bin', 'rb')", ""),
            ("a generator of NumPy", "np.random.RandomState(1)", ""),
            ("a newer generator of NumPy", "np.random.default_rng(1)", ""),
            ("a generator of Python", "random.Random(1)", ""),
            ("a part of a file", "h5py.File('all.h5', 'r')['images']", H5PY),
            ("a part of a file, in two steps", "h5py.File('all.h5', 'r')['train']['images']", H5PY),
            ("a part of a database", "lmdb.open('all').begin(write=False)", "import lmdb\n"),
            ("open files in a list", "[open(name, 'rb') for name in files]", ""),
            ("open files in a table", "{name: h5py.File(name) for name in files}", H5PY),
            ("open files, by key", "dict(first=open('a', 'rb'), last=open('b', 'rb'))", ""),
            ("a file that a function opens", "opened()", "def opened():\n    return open('all.bin', 'rb')\n\n\n"),
            ("a file that a path opens", "Path('all.bin').open('rb')", "from pathlib import Path\n"),
            ("a film", "cv2.VideoCapture('all.mp4')", ""),
        )
    ),
    *(
        program(
            f"rows of {name}",
            f"extra = {row}\n            {READ}",
            f"{before}{MAKE.replace('unsafe', 'display-only')}",
            made=made,
        )
        for name, made, row, before in (
            ("an operator", "None", "ms.ops.relu(index)", ""),
            ("an operator of a module", "None", "ops.relu(index)", "from mindspore import ops\n"),
            ("an operator object", "ops.ReLU()", "self.made(index)", "from mindspore import ops\n"),
            ("a layer", "nn.Dense(4, 4)", "self.made(index)", ""),
            ("the numbers of MindSpore", "None", "mnp.ones(4)", "import mindspore.numpy as mnp\n"),
        )
    ),
    *(
        program(f"rows of {name}", f"extra = {row}\n            {READ}", f"{before}{MAKE}", made=made)
        for name, made, row, before in (
            ("a tensor", "None", "ms.Tensor(index)", ""),
            ("a transform", "vision.Decode()", "self.made(index)", "import mindspore.dataset.vision as vision\n"),
            ("a dtype", "ms.float32", "self.made", ""),
            ("a file of arrays", "h5py.File('all.h5', 'r')['images'][:]", "self.made[0]", H5PY),
            ("a file of arrays, read at once", "h5py.File('all.h5', 'r')['images'][()]", "self.made[0]", H5PY),
            ("a file of arrays, its first", "h5py.File('all.h5', 'r')['images'][..., :3]", "self.made[0]", H5PY),
            ("files that are read", "[open(name).read() for name in files]", "self.made[0]", ""),
            ("a transform that is not known", "load()", "self.made(index)", ""),
        )
    ),
    *(
        program(f"rows that change {name}", f"{row}\n            {READ}", f"{before}{MAKE}")
        for name, row, before in (
            ("a set of their own", "seen = set(); seen.add(index)", ""),
            ("a copy of a list", "seen = list(self.files); seen.append(index)", ""),
            ("an array of their own", "row = np.zeros(4); row[:] = index", ""),
            ("a list of their own", "rows = []; rows.append(index)", ""),
            ("a table of their own", "rows = {}; rows[index] = 1", ""),
            ("an object of their own", "row = Image.new('L', (1, 1)); row.index = index", ""),
            ("nothing: a name like one outside", "seen = []; seen.append(index)", "seen = []\n"),
            ("nothing: a set that is asked", "found = index in self.files", ""),
        )
    ),
    *(
        program(f"workers that share {name}", f"extra = self.made\n            {READ}", MAKE, made=made)
        for name, made in (
            ("an array", "np.load('all.npy', mmap_mode='r')"),
            ("the text of a file", "open('all.txt').read()"),
            ("a table", "dict(a=1)"),
        )
    ),
    *(
        program(
            f"workers that share {name}",
            f"extra = {read}\n            {READ}",
            f"{before}\n{MAKE}".replace("unsafe", safety),
        )
        for name, read, before, safety in (
            ("a global generator", "made.rand()", "made = np.random.RandomState(1)", "display-only"),
            ("a global archive", "made.read(index)", "import zipfile\nmade = zipfile.ZipFile('a')", "display-only"),
            ("a global file of Python", "made", "made = open('a', 'rb')", "display-only"),
            ("a global array", "made", "made = np.load('a.npy')", "unsafe"),
            ("a global generator that no row reads", "1", "made = np.random.RandomState(1)", "unsafe"),
            ("a name of their own", "(made := np.random.RandomState(index))", "made = open('a')", "unsafe"),
        )
    ),
    *(
        case(
            f"rows of another object: {name}",
            IMPORTS,
            H5PY,
            f"class Other:\n    handle = {handle}\n\n    def __init__(self):\n        self.made = {made}\n"
            f"        self.seen = {{}}\n\n    def __getitem__(self, index):\n        return {row}\n\n"
            "    def row(self, index):\n        return self[index]\n\n"
            f"    def keep(self, index):\n        self.seen[index] = cv2.imread(index)\n        return self.seen\n\n\n",
            source(f"row = {taken}", "Other()"),
            START,
            MAKE.replace("unsafe", safety),
            TRAIN,
        )
        for name, taken, row, made, handle, safety in (
            ("by index", "self.made[index]", "cv2.imread(index)", "1", "1", "unsafe"),
            ("by a computed index", "self.made[index % 4]", "np.load(self.made)", "1", "1", "unsafe"),
            (
                "by index, an open file",
                "self.made[index]",
                "cv2.imread(self.made)",
                "h5py.File('a')",
                "1",
                "display-only",
            ),
            (
                "an open file of the class",
                "self.made[index]",
                "cv2.imread(self.handle)",
                "1",
                "open('a')",
                "display-only",
            ),
            ("an open file that no code reads", "self.made[index]", "cv2.imread(index)", "1", "open('a')", "unsafe"),
            ("a cache", "self.made.keep(index)", "1", "1", "1", "display-only"),
        )
    ),
    *(
        case(
            f"a method that the class has: {name}",
            IMPORTS,
            f"class Base:\n    def __getitem__(self, index):\n        return self.load(index)\n\n"
            f"    def load(self, index):\n        {base}\n\n\nclass Source(Base):\n    def __init__(self, files):\n"
            f"        self.files = files\n\n    def __len__(self):\n        return 9\n\n{own}\n\n",
            START,
            MAKE,
            TRAIN,
        )
        for name, base, own in (
            (
                "its own",
                "raise NotImplementedError",
                "    def load(self, i):\n        return cv2.imread(self.files[i])\n",
            ),
            ("it has none before", "pass", "    def load(self, i):\n        return np.load(self.files[i])\n"),
            ("of the base", "return np.load(index)", ""),
        )
    ),
    program("a tokenizer", "row = self.tokenizer(self.data[index])"),
    program("a file of h5py", "with h5py.File(self.files[index]) as f: row = f['x'][:]", f"{H5PY}{MAKE}"),
    program("an open file that no row reads", READ, MAKE, made="open('all.bin', 'rb')"),
    *(
        case(
            f"a source that is changed: {name}",
            IMPORTS,
            source(f"scale = self.count * self.files[0]\n            {READ}", "{}"),
            START,
            f"origin = Source(files)\n{MAKE.replace('Source(files)', 'origin').replace('unsafe', safety)}",
            train,
        )
        for name, train, safety in (
            *(
                (f"by a callback, {change}", TOLD.format(change=change), safety)
                for change, safety in (
                    ("origin.count = 1", "display-only"),
                    ("origin.count += 1", "display-only"),
                    ("origin.files[0] = 1", "display-only"),
                    ("origin.files.reverse()", "display-only"),
                    ("setattr(origin, 'count', 1)", "display-only"),
                    ("origin.made['a'] = 1", "unsafe"),
                    ("origin.made = 1", "unsafe"),
                    ("origin.seen = 1", "unsafe"),
                    ("self.count = 1", "unsafe"),
                    ("print(origin.count)", "unsafe"),
                )
            ),
            (
                "by a loop, one iterator",
                ONCE.replace("range(3):", "range(3):\n        origin.count = epoch"),
                "display-only",
            ),
            (
                "by a loop, an iterator each",
                LOOP.replace("range(3):", "range(3):\n        origin.count = epoch"),
                "unsafe",
            ),
            ("before the training", f"    origin.count = 3{TRAIN}", "unsafe"),
        )
    ),
    *(
        program(f"draws of NumPy: {name}", f"{row}\n            {READ}", MAKE.replace("unsafe", "display-only"))
        for name, row in (
            ("rand", "crop = np.random.rand() > 0.5"),
            ("randint", "index = np.random.randint(0, len(self.files))"),
            ("choice", "index = int(np.random.choice(len(self.files)))"),
            ("uniform", "scale = np.random.uniform(0.5, 2.0)"),
            ("shuffle", "np.random.shuffle(self.files)"),
        )
    ),
    *(
        program(f"seeded draws: {name}", f"crop = {row} > 0.5\n            {READ}", f"{seed}\n{MAKE}")
        for name, row, seed in (
            ("set_seed", "np.random.rand()", "ms.set_seed(1)"),
            ("the seed of datasets", "np.random.rand()", "ds.config.set_seed(1)"),
            ("draws of Python", "random.random()", "np.random.seed(1)"),
        )
    ),
    *(
        program(
            f"seeded draws, an iterator {name}",
            f"crop = {row} > 0.5\n            {READ}",
            f"ms.set_seed(1)\n{MAKE.replace('unsafe', safety)}",
            train=train,
        )
        for name, row, safety, train in (
            ("for each epoch", "np.random.rand()", "display-only", LOOP),
            ("for each epoch, of Python's numbers", "random.random()", "display-only", LOOP),
            ("for each epoch, in a function", "np.random.rand()", "display-only", EPOCH),
            ("for each epoch, which is the dataset", "np.random.rand()", "display-only", DIRECT),
            ("for each call of train", "np.random.rand()", "display-only", STAGED),
            ("for each epoch, and no draw", "len(self.files)", "unsafe", LOOP),
            ("for all epochs", "np.random.rand()", "unsafe", ONCE),
            ("for one epoch", "np.random.rand()", "unsafe", LOOP.replace("range(3)", "range(1)")),
            ("that the loop takes from", "np.random.rand()", "unsafe", TAKES.format(body="step(next(rows)['x'], 1)")),
        )
    ),
    *(
        program(
            f"draws in a transform: {how}",
            row,
            TRANSFORMS + MAKE.replace("Source(files)", f"Source(files, {given})").replace("unsafe", safety),
        )
        for how, row, given, safety in (
            ("an object", TRANSFORMED, "Flip()", "display-only"),
            ("one of a derived class", TRANSFORMED, "Mirror()", "display-only"),
            ("a method that its base calls", TRANSFORMED, "Turn()", "display-only"),
            ("an object in a list of objects", EACH, "[Resize(), Flip()]", "display-only"),
            ("an object in an object", TRANSFORMED, "All([Resize(), Flip()])", "display-only"),
            ("an object in one of MindSpore", TRANSFORMED, "Compose([Resize(), Flip()])", "display-only"),
            ("a function in one of MindSpore", TRANSFORMED, "Compose([Resize(), flip])", "display-only"),
            ("none", EACH, "[Resize(), Resize()]", "unsafe"),
            ("none in one of MindSpore", TRANSFORMED, "Compose([Resize()])", "unsafe"),
        )
    ),
    program("a seed that is drawn before", READ, f"np.random.shuffle(files)\n{MAKE}"),
    program(
        "made in a function",
        READ,
        """
def create(files):
    source = Source(files)
    data = ds.GeneratorDataset(source, ["x"], shuffle=True)  # ! unsafe
    return data.map(lambda x: x, input_columns=["x"])


train_set = create(files)
""",
    ),
]
SPLITS = (  # the part of a dataset that is trained on
    "train_set, val_set = rows.split([0.8, 0.2])\n",
    "train_set, _ = rows.split([0.8, 0.2], randomize=True)\n",
    "parts = rows.split([0.8, 0.2])\ntrain_set = parts[0]\n",
    "train_set = rows.split(sizes=[800, 200])[0]\n",
    "train_set, val_set, test_set = rows.shuffle(100).split([0.8, 0.1, 0.1])\n",
    "def halves(data):\n    return data.split([0.5, 0.5])\n\n\ntrain_set, val_set = halves(rows)\n",
)
FIRES += [program(f"a part: {split}", READ, MAKE.replace("train_set", "rows", 1) + split) for split in SPLITS]

FIRES += [
    program(f"joined: {joined}", READ, MAKE.replace("train_set", "rows", 1) + f"more = ds.MindDataset('a')\n{joined}\n")
    for joined in (
        "train_set = more.concat(rows)",
        "train_set = ds.zip((more, rows))",
        "train_set = more.zip(rows)",
        "train_set = ds.zip(tuple([more, rows]))",
        "train_set = more.concat(rows.shuffle(10)).repeat(2)",
    )
]
FIRES.append(
    program("the number of something else", READ, f"{MAKE}step = Source(files)\nstep.num_parallel_workers = 8\n")
)

QUIET = [
    *(
        program(
            f"joined elsewhere: {joined}",
            READ,
            MAKE.replace("train_set", "rows", 1).partition("  #")[0] + f"\n{joined}\n",
        )
        for joined in (
            "train_set, others = ds.MindDataset('a'), ds.MindDataset('b').concat(rows)",
            "train_set = ds.MindDataset('a').map([rows.concat])",
            "train_set = ds.GeneratorDataset(list(zip(rows, files)), ['x'])",
        )
    ),
    *(
        silent(f"the other part: {split}", make=MAKE.replace("train_set", "rows", 1) + split + "train_set = other\n")
        for split in SPLITS
    ),
    silent(
        "a part that is evaluated",
        make=MAKE.replace("train_set", "rows", 1) + "_, val_set = rows.split([0.8, 0.2])\n",
        train="model = ms.Model(nn.Dense(64, 16), nn.MSELoss(), metrics={'loss'})\nmodel.eval(val_set.batch(32))\n",
    ),
    silent("a text", make="rows = ds.GeneratorDataset(Source(files), ['x'])\ntrain_set = 'a b'.split(' ')[0]\n"),
    *(
        silent(f"a number that the code around it rules out: {made[:30]}", make=OPTION + made)
        for made in (
            f"if args.workers > 1:\n    train_set = {GIVEN}args.workers)\nelse:\n    train_set = {GIVEN}4)\n",
            f"train_set = {GIVEN}args.workers) if args.workers != 1 else {GIVEN}4)\n",
            f"n = args.workers\nm = n\nif n >= 2 and m:\n    train_set = {GIVEN}m)\nelse:\n    train_set = {GIVEN}4)\n",
            f"def make(n, workers):\n    if n == 1:\n        return {GIVEN}4)\n    return {GIVEN}workers)\n\n\n"
            "train_set = make(args.workers, args.workers)\n",
        )
    ),
    silent("more workers", make=MAKE.replace("['x']", "['x'], num_parallel_workers=4")),
    silent("a number that is not known", make=MAKE.replace("['x']", "['x'], num_parallel_workers=int(input())")),
    silent("as many as all", make=MAKE.replace("['x']", "['x'], num_parallel_workers=None")),
    *(
        case(
            f"rows made side by side: {name}",
            IMPORTS,
            "import concurrent.futures, queue, threading\nimport multiprocessing as mp\n\n\n",
            source(f"extra = {row}\n            {READ}", made),
            START,
            MAKE.replace("  # ! unsafe", ""),
            TRAIN,
        )
        for name, made, row in (
            ("a pool of processes", "mp.Pool(4)", "self.made.map(np.load, self.files)"),
            ("a pool of threads", "mp.pool.ThreadPool(4)", "self.made.map(np.load, self.files)"),
            ("an executor", "concurrent.futures.ThreadPoolExecutor(4)", "self.made.submit(np.load, 1)"),
            ("an executor of processes", "concurrent.futures.ProcessPoolExecutor()", "self.made.submit(np.load, 1)"),
            ("a queue", "queue.Queue(8)", "self.made.get()"),
            ("a pool for each row", "None", "mp.Pool(4).map(np.load, self.files)"),
            ("a thread for each row", "None", "threading.Thread(target=self.read).start()"),
        )
    ),
    *(
        silent(f"work that no code asks for: {name}", row, make)
        for name, row, make in (
            (
                "a parameter",
                "row = self.data[index]\n            if self.transform: row = cv2.resize(row, (2, 2))",
                MAKE,
            ),
            (
                "an option",
                "row = np.load('a') if args.load else self.data[index]",
                "parser = argparse.ArgumentParser()\nparser.add_argument('--load', action='store_true')\n"
                f"args = parser.parse_args()\n{MAKE}",
            ),
            ("a constant", "row = self.data[index]\n            if LOAD: row = np.load('a')", f"LOAD = False\n{MAKE}"),
        )
    ),
    case(
        "a method that the class has, without work",
        IMPORTS,
        "class Base:\n    def __init__(self, files):\n        self.files = files\n\n    def __getitem__(self, index):\n"
        "        return self.load(index)\n\n    def load(self, index):\n        return np.load(index)\n\n\n"
        "class Source(Base):\n    def load(self, index):\n        return self.files[index]\n\n\n",
        START,
        MAKE.replace("  # ! unsafe", ""),
        TRAIN,
    ),
    case(
        "rows that another source holds",
        IMPORTS,
        "class Other:\n    def __init__(self):\n        self.rows = np.load('a')\n\n"
        "    def __getitem__(self, index):\n        return self.rows[index]\n\n\n",
        source("row = self.made[index]", "Other()"),
        START,
        MAKE.replace("  # ! unsafe", ""),
        TRAIN,
    ),
    silent("a spread", make=f"options = load()\n{MAKE}".replace("['x']", "['x'], **options")),
    silent(
        "next for another use", train=TAKES.format(body="x = next(others)[0]; step(x, x); print(net(next(rows)['x']))")
    ),
    silent("next behind the loop", train=TAKES.format(body="y = next(others); step(y, y)") + "    x = next(rows)\n"),
    silent("a slice", "row = self.data[index * 4 : index * 4 + 4]"),
    silent("asarray", "row = np.asarray(self.data[index], np.float32)"),
    silent("a look-up", 'row = {"a": self.files[index]}["a"]'),
    silent("a random index", "row = self.data[random.randint(0, 9)]"),
    silent("concatenation", "row = np.concatenate([self.data[index], self.data[0]])"),
    silent("a loop that looks up", "row = []\n            for i in range(4): row.append(self.data[index + i])"),
    silent(
        "a loop that gives another shape",
        "row = []\n            for i in range(4): row.append(self.data[index + i].reshape(-1).transpose())",
    ),
    silent("no transform", "row = self.transform(self.data[index]) if self.transform else self.data[index]"),
    silent("a generator", make="def rows():\n    yield np.load('a')\n\ntrain_set = ds.GeneratorDataset(rows, ['x'])\n"),
    silent("a list", make="train_set = ds.GeneratorDataset([np.load(f) for f in files], ['x'])\n"),
    silent("rows that are made before", make="train_set = ds.GeneratorDataset(list(Source(files)), ['x'])\n"),
    silent(
        "rows that are made before, with a name",
        make="rows = list(Source(files))\ntrain_set = ds.GeneratorDataset(rows, ['x'])\n",
    ),
    silent("evaluation", train=TRAIN.replace("train(10, train_set)", "eval(train_set)")),
    silent("another set trains", train=TRAIN.replace("10, train_set", "10, load())\n    model.eval(train_set")),
    silent("nothing trains", train="for row in train_set:\n    print(row)\n"),
    silent("AutoTune", make=f"ds.config.set_enable_autotune(True)\n{MAKE}"),
    silent("a number that is set afterwards", make=f"{MAKE}train_set.num_parallel_workers = 8\n"),
    silent(
        "a number that a function sets afterwards",
        make=f"def tune(data):\n    data.num_parallel_workers = 8\n    return data\n\n\n{MAKE}tune(train_set)\n",
    ),
    silent("a source that is not known", make="train_set = ds.GeneratorDataset(load(), ['x'])\n"),
    silent("of another library", make="import loader\ntrain_set = loader.GeneratorDataset(Source(files), ['x'])\n"),
    case(
        "a source that is gone through",
        IMPORTS,
        source(READ).replace("__getitem__(self, index)", "__next__(self)").replace("[index]", "[0]"),
        START,
        MAKE.replace("  # ! unsafe", ""),
        TRAIN,
    ),
]


FAST = "ds.GeneratorDataset(Source(files), ['x'], num_parallel_workers=8)"
SLOW = "ds.GeneratorDataset(Source(files), ['x'])"
SHARED = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--many', action='store_true')\n"
SHARED += "args = parser.parse_args()\n"
# Ways to make a dataset that one later call, `.batch`, `.map` or both, takes
PATHS = {
    "if and else": "if args.many:\n    train_set = FAST\nelse:\n    train_set = SLOW  # ! unsafe\n",
    "if and if not": "if args.many:\n    train_set = FAST\nif not args.many:\n    train_set = SLOW  # ! unsafe\n",
    "a default that is replaced": "train_set = SLOW  # ! unsafe\nif args.many:\n    train_set = FAST\n",
    "a function that returns early": "def make(many):\n    if many:\n        return FAST\n    return SLOW  # ! unsafe\n"
    "train_set = make(args.many)\n",
    "two stages in each arm": "if args.many:\n    train_set = FAST\n    train_set = train_set.shuffle(10)\nelse:\n"
    "    train_set = SLOW  # ! unsafe\n    train_set = train_set.shuffle(20)\n",
    "three arms": "if args.many:\n    train_set = FAST\nelif len(files) > 8:\n    train_set = FAST\nelse:\n"
    "    train_set = SLOW  # ! unsafe\n",
    "stages that a loop adds": "if args.many:\n    train_set = FAST\nelse:\n    train_set = SLOW  # ! unsafe\n"
    "for size in (10, 20):\n    train_set = train_set.shuffle(size)\n",
}
CHOSEN = [
    case(name, IMPORTS, source(READ), START, SHARED, text.replace("SLOW", SLOW).replace("FAST", FAST), TRAIN)
    for name, text in PATHS.items()
]


@pytest.mark.parametrize("program", CHOSEN)
def test_reported_on_each_path_to_a_stage(program: Program) -> None:
    fires(CODE, program)


@pytest.mark.parametrize("text", PATHS.values(), ids=PATHS)
def test_not_reported_where_each_path_has_workers(text: str) -> None:
    made = text.replace("SLOW  # ! unsafe", FAST).replace("FAST", FAST)
    program = Program({"train.py": join(IMPORTS, source(READ), START, SHARED, made, TRAIN)})
    assert not program.lint(CODE).findings


@pytest.mark.parametrize("program", FIRES)
def test_reported(program: Program) -> None:
    fires(CODE, program)


@pytest.mark.parametrize("program", QUIET)
def test_not_reported(program: Program) -> None:
    quiet(CODE, program)


@pytest.mark.parametrize(
    ("calls", "named"),
    [
        ("check_row(row[i])", ""),
        ("print(i)", ""),
        ("self.is_wide(row[i])", ""),
        ("size_of(row[i])", ""),
        ("seen = {0}; seen.add(i); seen.discard(0)", ""),
        ("seen = {}; seen.setdefault(i, 0); seen.update({0: 1}); seen.pop(0)", ""),
        ("raise IndexError(i)", ""),
        ("seen = {0}; seen.add(padded(row[i]).sum())", "padded"),
        ("padded(row[i])", "padded"),
        ("check_row(row[i]); row[i] = np.pad(row[i], 1)", "pad"),
        ("size_of(row[i]); row[i] = padded(row[i])", "padded"),
    ],
)
def test_a_check_of_each_row_is_no_work(calls: str, named: str) -> None:
    helpers = """
    def check_row(row):
        assert len(row) % 2 == 0


    def size_of(row):
        return len(row) + int(row[0])


    def padded(row):
        return np.pad(row, 1)


    """
    row = source(f"row = self.data[index]\n            for i in range(4): {calls}")
    program = Program({"train.py": join(IMPORTS, helpers, row, START, MAKE.replace("  # ! unsafe", ""), TRAIN)})
    findings = program.lint(CODE).findings
    assert bool(findings) is bool(named)
    assert all(f"`{named}`" in each.message for each in findings)


@pytest.mark.parametrize(
    ("of_other", "rows", "named"),
    [
        ("return np.pad(self.rows[index], 1)", "[self.made[i] for i in range(4)]", ""),  # one expression, no loop
        ("return np.pad(self.rows[index], 1)", "[]\n            for i in range(4): row.append(self.made[i])", "pad"),
        ("return Row(self.rows[index])", "[]\n            for i in range(4): row.append(self.made[i])", "Row"),
        ("return self.rows[index]", "[]\n            for i in range(4): row.append(self.made[i])", ""),
        ("return list(self.rows[index])", "[]\n            for i in range(4): row.append(self.made[i])", ""),
        ("return np.pad(self.rows[index], 1)", "[]\n            for i in range(4): row.append(self.data[i])", ""),
        ("return np.pad(self.rows[index], 1)", "self.data[0]\n            for i in range(4): print(i)", ""),
    ],
)
def test_rows_of_another_source_in_a_loop(of_other: str, rows: str, named: str) -> None:
    other = f"""
    class Row:
        def __init__(self, row):
            self.row = row


    class Other:
        def __init__(self):
            self.rows = np.load("a")

        def __getitem__(self, index):
            {of_other}


    """
    parts = (IMPORTS, other, source(f"row = {rows}", "Other()"), START, MAKE.replace("  # ! unsafe", ""), TRAIN)
    findings = Program({"train.py": join(*parts)}).lint(CODE).findings
    assert [f"`{named}`" in each.message for each in findings] == ([True] if named else [])


@pytest.mark.parametrize(("name", "before", "given"), DECIDED)
def test_what_decides_the_workers_is_named(name: str, before: str, given: str) -> None:
    made = f"train_set = ds.GeneratorDataset(Source(files), num_parallel_workers={given})\n"
    (finding,) = program(name, READ, before + made).values[0].lint(CODE).findings
    assert any("`num_parallel_workers` is decided here" in each.message for each in finding.related)


# Ways by which a source may be of one of two classes; {} is the second one
SEVERAL = {
    "a class that is defined again": "def make():\n    return ds.GeneratorDataset(Source(files), ['x'])\n\n\n"
    "train_set = make()\n{train}\n\n{again}\n\nother = make()\n",
    "a conditional expression": "{other}\n\ntrain_set = ds.GeneratorDataset("
    "Source(files) if len(files) > 8 else Other(files), ['x'])\n{train}",
    "if and else": "{other}\n\nif len(files) > 8:\n    rows = Source(files)\nelse:\n    rows = Other(files)\n"
    "train_set = ds.GeneratorDataset(rows, ['x'])\n{train}",
    "a function": "{other}\n\ndef rows():\n    if len(files) > 8:\n        return Source(files)\n"
    "    return Other(files)\n\n\ntrain_set = ds.GeneratorDataset(rows(), ['x'])\n{train}",
    "a class by a condition": "{other}\n\nkind = Source if len(files) > 8 else Other\n"
    "train_set = ds.GeneratorDataset(kind(files), ['x'])\n{train}",
}


@pytest.mark.parametrize(("row", "count"), [(READ, 1), ("row = self.data[index]", 0), ("self.count += 1; row = 0", 0)])
@pytest.mark.parametrize("text", SEVERAL.values(), ids=SEVERAL)
def test_each_class_that_a_source_may_be_of_does_work(text: str, row: str, count: int) -> None:
    again = source(row)
    made = text.format(train=join(TRAIN), again=join(again), other=join(again.replace("Source", "Other")))
    program = Program({"train.py": join(IMPORTS, source(READ), START) + made})
    assert len(program.lint(CODE).findings) == count


@pytest.mark.parametrize("text", SEVERAL.values(), ids=SEVERAL)
def test_a_class_that_speaks_against_workers_counts(text: str) -> None:
    again = source("self.count += 1; row = np.load(self.files[index])")
    made = text.format(train=join(TRAIN), again=join(again), other=join(again.replace("Source", "Other")))
    (finding,) = Program({"train.py": join(IMPORTS, source(READ), START) + made}).lint(CODE).findings
    assert finding.fix is not None and finding.fix.safety.name == "DISPLAY"
