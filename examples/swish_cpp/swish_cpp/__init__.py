"""Importing this package loads its operator; opgraft also finds it by itself when a model needs it."""

import pathlib

import opgraft

opgraft.load_plugin(pathlib.Path(__file__).parent / "swish.so")
