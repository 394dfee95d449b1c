"""Library models: what the evaluator knows of libraries, one module each, registered by qualified name."""

from ms_perflint.infer.evaluator import joined
from ms_perflint.libraries import (
    absl,
    argparse,
    click,
    configparser,
    containers,
    dataclasses,
    documents,
    environment,
    hf_argument_parser,
    hydra,
    iterables,
    mindspore,
    omegaconf,
    operators,
    python,
)

_MODULES = (
    mindspore, documents, hf_argument_parser, argparse, hydra, click, absl, configparser, omegaconf,
    dataclasses, environment, containers, python, operators, iterables,
)  # fmt: skip
LIBRARIES = joined(module.MODEL for module in _MODULES)  # the first that registers a name answers
