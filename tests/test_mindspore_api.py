"""What is known of MindSpore, against the facts of its releases and against the release that is installed."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ms_perflint import mindspore_api as api
from ms_perflint.mindspore_api import kept, names

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"

SPELLINGS = {
    "mindspore.set_context": ["mindspore.context.set_context"],
    "mindspore.reset_auto_parallel_context": ["mindspore.context.reset_auto_parallel_context"],
    "mindspore.GRAPH_MODE": ["mindspore.context.GRAPH_MODE"],
    "mindspore.ParallelMode.DATA_PARALLEL": [
        "mindspore.context.ParallelMode.DATA_PARALLEL",
        "mindspore.train.model.ParallelMode.DATA_PARALLEL",
    ],
    "mindspore.train.Model": ["mindspore.Model", "mindspore.train.model.Model"],
    "mindspore.train.Model.train": ["mindspore.Model.train"],
    "mindspore.train.ModelCheckpoint": [
        "mindspore.ModelCheckpoint",
        "mindspore.train.callback.ModelCheckpoint",
        "mindspore.train.callback._checkpoint.ModelCheckpoint",
    ],
    "mindspore.train.LossMonitor": ["mindspore.LossMonitor", "mindspore.train.callback.LossMonitor"],
    "mindspore.train.Accuracy": ["mindspore.nn.Accuracy", "mindspore.nn.metrics.Accuracy"],
    "mindspore.save_checkpoint": ["mindspore.train.serialization.save_checkpoint", "mindspore.train.save_checkpoint"],
    "mindspore.amp.build_train_network": ["mindspore.train.amp.build_train_network", "mindspore.build_train_network"],
    "mindspore.amp.FixedLossScaleManager": [
        "mindspore.FixedLossScaleManager",
        "mindspore.train.loss_scale_manager.FixedLossScaleManager",
    ],
    "mindspore.ops.Cast": [
        "mindspore.ops.operations.Cast",
        "mindspore.ops.operations.array_ops.Cast",
    ],
    "mindspore.ops.cast": ["mindspore.ops.functional.cast"],
    "mindspore.ops.Primitive": ["mindspore.ops.primitive.Primitive"],
    "mindspore.ops.GradOperation": ["mindspore.ops.composite.GradOperation"],
    "mindspore.value_and_grad": ["mindspore.ops.value_and_grad"],
    "mindspore.jit": ["mindspore.common.api.jit"],
    "mindspore.ms_function": ["mindspore.common.api.ms_function"],
    "mindspore.nn.Dense": ["mindspore.nn.layer.Dense", "mindspore.nn.layer.basic.Dense"],
    "mindspore.nn.TrainOneStepCell": ["mindspore.nn.wrap.cell_wrapper.TrainOneStepCell"],
    "mindspore.nn.LossBase": ["mindspore.nn.loss.loss.LossBase", "mindspore.nn.loss.LossBase"],
    "mindspore.Tensor": ["mindspore.common.tensor.Tensor", "mindspore.common.Tensor"],
    "mindspore.float16": [
        "mindspore.half",
        "mindspore.common.dtype.float16",
        "mindspore.common.dtype.half",
        "mindspore.dtype.half",
    ],
    "mindspore.int32": ["mindspore.intc", "mindspore.common.dtype.int32"],
    "mindspore.common.initializer.initializer": ["mindspore.common.parameter.initializer"],
    "mindspore.Profiler": ["mindspore.profiler.Profiler", "mindspore.profiler.profiling.Profiler"],
    "mindspore.communication.init": ["mindspore.communication.management.init"],
    "mindspore.dataset.config.set_enable_autotune": ["mindspore.dataset.core.config.set_enable_autotune"],
    "mindspore.dataset.GeneratorDataset": ["mindspore.dataset.engine.datasets.GeneratorDataset"],
    "mindspore.data_sink": ["mindspore.train.data_sink.data_sink", "mindspore.train.data_sink"],
    # their own, though they share objects with others
    "mindspore.mint.matmul": [],
    "mindspore.ops.matmul": ["mindspore.ops.functional.matmul"],
    "mindspore.mint.nn.Linear": [],
    "mindspore.numpy.zeros": ["mindspore.numpy.array_creations.zeros"],
    # not known
    "mindspore.nothing.at_all": [],
    "torch.nn.Linear": [],
}


@pytest.mark.parametrize(
    ("spelling", "name"), [(spelling, name) for name, others in SPELLINGS.items() for spelling in [name, *others]]
)
def test_spellings_of_one_object_have_one_name(spelling: str, name: str) -> None:
    assert api.canonical(spelling) == name


def test_tables_name_each_api_by_its_canonical_name() -> None:
    """What a call runs is known by that name: an entry by another one is never found."""
    found = []
    for path in sorted(Path(api.__file__).parents[1].rglob("*.py")):
        if path.parent.name != "mindspore_api":
            nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            texts = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
            names_ = {text.rstrip("()") for text in texts if re.fullmatch(r"mindspore(\.\w+)+(\(\))?", text)}
            found += [f"{path.name}: {name}" for name in sorted(names_) if api.canonical(name) != name]
    assert found == []


def test_a_canonical_name_is_its_own_canonical_name() -> None:
    homes = {name for module in names._names().aliases for name in names._aliases(module).values()}
    assert len(homes) > 4000
    assert [name for name in homes if api.canonical(name) != name] == []


def test_modules_and_what_hides_them() -> None:
    assert api.is_module("mindspore.ops.operations")
    assert api.is_module("mindspore.dtype")
    assert api.is_module("mindspore.dataset.config")
    assert not api.is_module("mindspore.train.Model")
    assert not api.is_module("mindspore.train.data_sink")  # the function; `mindspore/train/data_sink.py` is hidden
    assert api.is_module("mindspore")
    assert not api.is_module("torch.nn")


def test_star_imports() -> None:
    assert {"Cast", "cast", "GradOperation"} <= api.exports("mindspore.ops")
    assert {"Model", "set_context", "Tensor", "float16"} <= api.exports("mindspore")
    assert "Cast" in api.exports("mindspore.ops.operations")
    assert "set_context" in api.exports("mindspore.context")
    assert "set_enable_autotune" in api.exports("mindspore.dataset.config")
    assert {"ModelCheckpoint", "CheckpointConfig"} <= api.exports("mindspore.train.callback")
    assert api.exports("torch") == frozenset()


def default(name: str, parameter: str, version: api.Version) -> object:
    found = api.parameters(name, version)
    assert found is not None
    return {p.name: p.default for p in found}[parameter]


def slots(name: str, version: api.Version) -> list[str]:
    found = api.parameters(name, version)
    assert found is not None
    return [p.name for p in found if not p.keyword_only]


@pytest.mark.parametrize(
    ("name", "parameter", "by_version"),
    [
        ("mindspore.train.Model.train", "dataset_sink_mode", {(1, 0, 0): True, (1, 10, 1): True, (2, 0, 0): False}),
        ("mindspore.train.Model.fit", "valid_dataset_sink_mode", {(1, 8, 0): True, (2, 10, 0): False}),
        ("mindspore.train.Model.infer_train_layout", "dataset_sink_mode", {(1, 5, 0): True, (2, 10, 0): True}),
        ("mindspore.train.CheckpointConfig", "async_save", {(1, 0, 0): False, (2, 10, 0): False}),
        ("mindspore.train.ModelCheckpoint", "config", {(1, 0, 0): None, (2, 10, 0): None}),
        ("mindspore.train.Model", "amp_level", {(1, 0, 0): "O0", (2, 10, 0): "O0"}),
        ("mindspore.nn.Dense", "weight_init", {(2, 0, 0): "normal", (2, 1, 0): None}),
        ("mindspore.nn.Dense", "dtype", {(2, 10, 0): api.Named("mindspore.float32")}),
        ("mindspore.amp.auto_mixed_precision", "dtype", {(2, 10, 0): api.Named("mindspore.float16")}),
        ("mindspore.Profiler", "data_process", {(1, 5, 0): True, (2, 3, 1): True, (2, 4, 0): False}),
        ("mindspore.profiler.profile", "start_profile", {(2, 6, 0): True, (2, 10, 0): True}),
        ("mindspore.set_context", "mode", {(1, 2, 1): 1, (1, 3, 0): 0, (1, 10, 1): 0, (2, 0, 0): 1}),
        ("mindspore.set_context", "device_target", {(2, 10, 0): api.UNKNOWN}),
        ("mindspore.set_auto_parallel_context", "parallel_mode", {(2, 10, 0): "stand_alone"}),
        ("mindspore.Tensor.astype", "dtype", {(2, 10, 0): api.REQUIRED}),
        ("mindspore.dataset.GeneratorDataset.create_dict_iterator", "do_copy", {(2, 6, 0): True, (2, 7, 0): False}),
    ],
)
def test_defaults_by_version(name: str, parameter: str, by_version: dict[api.Version, object]) -> None:
    assert {version: default(name, parameter, version) for version in by_version} == by_version


@pytest.mark.parametrize("version", [(1, 3, 0), (1, 10, 0), (2, 0, 0), (2, 4, 0), (2, 10, 0)])
def test_slots_that_fixes_rely_on(version: api.Version) -> None:
    assert slots("mindspore.train.CheckpointConfig", version)[5] == "async_save"
    assert slots("mindspore.save_checkpoint", version)[3] == "async_save"
    assert slots("mindspore.train.Model", version)[6] == "amp_level"
    assert slots("mindspore.train.Model.train", version)[3] == "dataset_sink_mode"
    assert slots("mindspore.train.Model.fit", version)[5:7] == ["dataset_sink_mode", "valid_dataset_sink_mode"]
    assert slots("mindspore.train.ModelCheckpoint", version) == ["prefix", "directory", "config"]
    assert slots("mindspore.amp.build_train_network", version)[3] == "level"
    assert slots("mindspore.set_context", version) == slots("mindspore.set_auto_parallel_context", version) == []
    assert slots("mindspore.nn.LSTM", version)[:2] == ["input_size", "hidden_size"]


def test_keywords_come_and_go() -> None:
    def names_of(name: str, version: api.Version) -> set[str]:
        return {parameter.name for parameter in api.parameters(name, version) or ()}

    assert "comm_fusion" not in names_of("mindspore.set_auto_parallel_context", (1, 5, 0))
    assert "comm_fusion" in names_of("mindspore.set_auto_parallel_context", (1, 6, 0))
    assert "enable_profiling" in names_of("mindspore.set_context", (1, 7, 0))
    assert "enable_profiling" not in names_of("mindspore.set_context", (1, 8, 0))
    assert "jit_config" not in names_of("mindspore.set_context", (2, 0, 0))
    assert "loss_scale_manager" in names_of("mindspore.train.Model", (2, 10, 0))
    assert "format" not in names_of("mindspore.save_checkpoint", (2, 3, 0))


def test_calls_of_instances() -> None:
    assert slots("mindspore.ops.Cast.__call__", (1, 9, 0)) == ["x", "dst_type"]
    assert slots("mindspore.ops.Cast.__call__", (2, 10, 0)) == ["input_x", "dtype"]
    assert slots("mindspore.ops.Cast", (2, 10, 0)) == []
    assert slots("mindspore.nn.Dense.construct", (2, 10, 0)) == ["x"]
    assert slots("mindspore.ops.cast", (1, 9, 0)) == ["x", "dst_type"]  # there, `cast` is an instance of Cast
    assert slots("mindspore.nn.Dense.to_float", (2, 10, 0)) == ["dst_type"]  # inherited from Cell
    assert api.parameters("mindspore.nothing.at_all", (2, 10, 0)) is None


def test_execution_mode_by_version() -> None:
    modes = {"1.0.1": 1, "1.2.1": 1, "1.3.0": 0, "1.10.1": 0, "2.0.0-alpha": 1, "2.10.0": 1}
    assert {text: api.default_mode(api.parse_version(text)) for text in modes} == modes


def test_versions_are_read_or_refused() -> None:
    assert api.parse_version("2.0.0-alpha") == (2, 0, 0)
    assert api.parse_version(" v1.9") == (1, 9, 0)
    assert api.parse_version("2.4.10.post1") == (2, 4, 10)
    with pytest.raises(ValueError, match=r"write it like 2\.4\.1"):
        api.parse_version("latest")


def test_what_came_and_what_went() -> None:
    assert api.removed_in("mindspore.ms_function") == (2, 6)
    assert api.removed_in("mindspore.common.api.ms_function") == (2, 6)
    assert api.removed_in("mindspore.dataset.vision.c_transforms.Resize") == (2, 8)  # its module is gone
    assert api.removed_in("mindspore.compression.quant.create_quant_config") == (2, 0)
    assert api.removed_in("mindspore.profiler.tensor_board_trace_handler") == (2, 6)
    assert api.removed_in("mindspore.train.Model") is None
    assert api.added_in("mindspore.set_device") == (2, 5)
    assert api.added_in("mindspore.set_context") == (1, 6)
    assert api.added_in("mindspore.CheckpointConfig") == (1, 8)
    assert api.added_in("mindspore.mint.nn.Linear") == (2, 3)
    assert api.added_in("mindspore.context.set_context") is None


def test_classes_know_their_ancestors() -> None:
    assert api.ancestors("mindspore.nn.Dense") == ("mindspore.nn.Cell",)
    assert "mindspore.nn.LossBase" in api.ancestors("mindspore.nn.SoftmaxCrossEntropyWithLogits")
    assert "mindspore.nn.Optimizer" in api.ancestors("mindspore.nn.Momentum")
    assert "mindspore.nn.TrainOneStepCell" in api.ancestors("mindspore.nn.TrainOneStepWithLossScaleCell")
    assert api.ancestors("mindspore.LossMonitor") == ("mindspore.train.Callback",)
    assert api.ancestors("mindspore.ops.cast") == ()


def test_methods_know_what_they_return() -> None:
    assert api.returned("mindspore.nn.Dense.to_float") == "self"
    assert api.returned("mindspore.nn.Cell.to") == "self"  # through another method
    assert api.returned("mindspore.ops.MatMul.shard") == "self"
    assert api.returned("mindspore.nn.Cell.shard") == ""
    assert api.returned("mindspore.Tensor.to") == ""
    assert api.returned("mindspore.amp.build_train_network.set_train") == "self"
    batched = api.returned("mindspore.dataset.MnistDataset.batch")
    assert batched == "mindspore.dataset.engine.datasets.BatchDataset"
    assert api.returned(f"{batched}.shuffle") == "mindspore.dataset.engine.datasets.ShuffleDataset"
    assert "mindspore.nn.Lamb" in api.descendants("mindspore.nn.Optimizer")


def test_constants() -> None:
    assert api.constant("mindspore.context.GRAPH_MODE") == 0
    assert api.constant("mindspore.PYNATIVE_MODE") == 1
    assert api.constant("mindspore.context.ParallelMode.DATA_PARALLEL") == "data_parallel"
    assert api.constant("mindspore.train.Model", ...) is ...


def found(name: str) -> object:
    """The object of that name in the installed MindSpore, None if it has none."""
    module, _, last = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), last)
    except (ImportError, AttributeError):
        owner = found(module) if "." in module else None
        return getattr(owner, last, None)


@pytest.fixture(scope="module")
def installed() -> api.Version:
    """The version of the MindSpore that is installed here."""
    version: str = pytest.importorskip("mindspore").__version__
    return api.parse_version(version)


@pytest.mark.mindspore
def test_spellings_are_one_object_when_mindspore_runs(installed: api.Version) -> None:
    same, different = 0, []
    for module in names._names().aliases:
        try:
            here = vars(importlib.import_module(module))
        except ImportError:
            continue
        for name, true in names._aliases(module).items():
            one, other = here.get(name), found(true)
            if one is not None and other is not None:
                same += one is other
                different += [f"{module}.{name}"] * (one is not other)
    assert same > 6500  # 2.0.0 has 6902 of them, 2.10.0 over 8000
    # from 2.10 on each is the function, before it could be the operator or another function of the same meaning
    older = {"tensor_lt", "tensor_gt", "cummin", "zeros"} if installed < api.newest() else set()
    assert {name for name in different if name.rpartition(".")[2] not in older} == set()


@pytest.mark.mindspore
def test_signatures_are_those_of_the_mindspore_that_runs(installed: api.Version) -> None:
    same, different = 0, []
    for name in generated_apis("mindspore", "train", "amp", "nn", "mint"):
        try:
            real = [p for p in inspect.signature(found(name)).parameters.values() if "VAR_" not in p.kind.name]  # type: ignore[arg-type]
        except (TypeError, ValueError):
            continue
        real = real[1:] if real and real[0].name == "self" else real
        ours = [p for p in api.parameters(name, installed) or () if p.name not in behind_kwargs(name)]
        if real:
            agree = [(p.name, p.default is p.empty) for p in real] == [
                (p.name, p.default is api.REQUIRED) for p in ours
            ]
            same += agree
            different += [name] * (not agree)
    assert same > 500  # 2.0.0 has 527 of them, 2.10.0 over 900
    # a metaclass or a decorator hides their parameters from inspection, or their names changed before 2.7
    hidden = {"mindspore.Parameter", "mindspore.nn.Cell.recompute", "mindspore.amp.validator.check"}
    assert set(different) <= hidden | {"mindspore.amp.validator.check_dynamic_shape"}


def generated_apis(*parts: str) -> Iterator[str]:
    for part in parts:
        yield from (n for n in names.read_data(f"signatures/{part}") if not n.endswith(".__call__") and found(n))


def behind_kwargs(name: str) -> set[str]:
    return {keyword.name for keyword in kept.KEYWORDS.get(name, ())}


@pytest.mark.skipif(not SCRIPTS.is_dir(), reason="needs the repository")
def test_the_generator_follows_names_to_where_objects_are_made(tmp_path: Path) -> None:
    package = tmp_path / "mindspore"
    files = {
        "__init__.py": "from mindspore import nn, ops\nfrom mindspore.nn import *\nfrom mindspore.train import *\n"
        "__all__ = []\n__all__.extend(nn.__all__)\n",
        "nn.py": "from mindspore.ops import Primitive\nclass Cell:\n    def construct(self, x): ...\n"
        "class Dense(Cell):\n    def __init__(self, size, *, bias=True): ...\n"
        "__all__ = ['Cell']\n__all__ += ['Dense']\n",
        "ops.py": "class Primitive: ...\n"
        "class Cast(Primitive):\n    def __init__(self): self.init_prim_io_names(['x', 't'], ['y'])\n"
        "cast = Cast()\nto = cast\n",
        "train/__init__.py": "from .model import Model\nfrom .old import *\n__all__ = ['Model']\n",
        "train/model.py": "class Model:\n    def train(self, epoch, sink=False): ...\n",
        "train/old.py": "from mindspore.train.model import Model as OldModel\n",
    }
    for name, text in files.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text, encoding="utf-8")
    out = tmp_path / "data"
    generate([f"2.0.0={package}"], out)
    data = json.loads((out / "names.json").read_text(encoding="utf-8"))
    assert data["aliases"] == {
        "mindspore": {"mindspore.train": "Model"},
        "mindspore.nn": {"mindspore": "Cell Dense", "mindspore.ops": "Primitive"},
        "mindspore.ops": {"mindspore.ops": "to=cast"},
        "mindspore.train": {"mindspore.train": "OldModel=Model"},
        "mindspore.train.model": {"mindspore.train": "Model"},
        "mindspore.train.old": {"mindspore.train": "OldModel=Model"},
    }
    signatures = json.loads((out / "signatures" / "ops.json").read_text(encoding="utf-8"))
    assert signatures["mindspore.ops.Cast.__call__"] == {"2.0": "x, t"}
    assert signatures["mindspore.ops.cast"] == {"2.0": "x, t"}


@pytest.mark.skipif("MINDSPORE_SOURCES" not in os.environ, reason="MINDSPORE_SOURCES names no releases")
def test_the_data_is_what_the_generator_writes(tmp_path: Path) -> None:
    """MINDSPORE_SOURCES="2.10.0=FOLDER 2.9.0=FOLDER ...", all releases that the generator was given."""
    generate(os.environ["MINDSPORE_SOURCES"].split(), tmp_path)
    written = {file.relative_to(tmp_path): file.read_bytes() for file in tmp_path.rglob("*.json")}
    data = Path(names.DATA)
    assert written == {file.relative_to(data): file.read_bytes() for file in data.rglob("*.json")}


def generate(releases: list[str], out: Path) -> None:
    command = [sys.executable, str(SCRIPTS / "generate_mindspore_api.py"), *releases, "--out", str(out)]
    subprocess.run(command, check=True)
