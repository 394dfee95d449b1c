"""Settings: a YAML file, each of its keys overridden by the option of that name."""
import argparse
import ast
import os

import yaml

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Config:
    """Settings as attributes."""

    def __init__(self, settings):
        for key, value in settings.items():
            setattr(self, key, value)


def literal(text):
    """Turn the text of an option into a number or a bool where it is one."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def get_config():
    default_path = os.path.join(PROJECT, "default_config.yaml")
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--config_path", type=str, default=default_path)
    args, _ = parser.parse_known_args()

    with open(args.config_path, encoding="utf-8") as file:
        settings = yaml.safe_load(file)
    for key, value in settings.items():
        parser.add_argument(f"--{key}", type=literal, default=value)
    return Config(vars(parser.parse_args()))


config = get_config()
