#!/usr/bin/env python3
"""Builds the bundled English embedding model from the published weights of all-MiniLM-L6-v2.

The script writes the encoder as an ONNX graph and quantises its weights to 8 bits. It is deterministic: equal weights
and versions of the packages below give equal files. README.md beside it has the commands and the hashes.

Needs Python 3.11 or later with numpy, onnx and onnxruntime.
"""

import argparse
import hashlib
import json
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from encoder import Failure, write_model

# SHA-256 of model.safetensors, as sentence-transformers publishes it.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

# What the published weights call the tensors of `encoder.py`.
EMBEDDINGS = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln": "embeddings.LayerNorm",
}
LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


@dataclass
class Weights:
    """The content of the weights file."""

    name: str
    data: bytes
    directory: dict
    start: int
    hidden: int = 384
    layers: int = 6
    heads: int = 12
    feed_forward: int = 1536

    @property
    def vocabulary_rows(self):
        return self.directory[EMBEDDINGS["emb.word"]]["shape"][0]

    def tensor(self, name, shape):
        """Returns a tensor as 32-bit floats."""
        entry = self.directory.get(published(name))
        if entry is None or entry["dtype"] != "F32" or tuple(entry["shape"]) != tuple(shape):
            raise Failure(f"The weights file has no tensor {published(name)!r} of the shape {shape}.")
        begin = self.start + entry["data_offsets"][0]
        return np.frombuffer(self.data, np.float32, int(np.prod(shape)), begin).reshape(shape).copy()


def published(name):
    """Returns what the published weights call a tensor."""
    if name in EMBEDDINGS:
        return EMBEDDINGS[name]
    stem, kind = name.rsplit(".", 1)
    kind = {"w": "weight", "b": "bias"}[kind]
    if stem in EMBEDDINGS:
        return f"{EMBEDDINGS[stem]}.{kind}"
    layer, part = stem.split(".")
    return f"encoder.layer.{layer[1:]}.{LAYER[part]}.{kind}"


def read_weights(path):
    """Reads the weights file: the length of the directory, the directory, and the tensors."""
    data = path.read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != WEIGHTS_SHA256:
        raise Failure(f"{path} has the SHA-256 {found} instead of {WEIGHTS_SHA256}.")
    (length,) = struct.unpack_from("<Q", data)
    return Weights("all-MiniLM-L6-v2", data, json.loads(data[8 : 8 + length]), 8 + length)


def read_pieces(path):
    """Returns the pieces of a WordPiece vocabulary in the order of their ids."""
    ids = json.loads(path.read_text(encoding="utf-8"))["model"]["vocab"]
    pieces = sorted(ids, key=ids.get)
    if [ids[piece] for piece in pieces] != list(range(len(pieces))):
        raise Failure(f"The ids of {path} are not all numbers from 0 on.")
    return pieces


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights", type=Path, help="folder with model.safetensors and tokenizer.json")
    parser.add_argument("out", type=Path, help="folder to write model.onnx and vocab.txt to")
    arguments = parser.parse_args()
    try:
        weights = read_weights(arguments.weights / "model.safetensors")
        pieces = read_pieces(arguments.weights / "tokenizer.json")
        if len(pieces) != weights.vocabulary_rows:
            raise Failure(f"The vocabulary has {len(pieces)} pieces, the weights have {weights.vocabulary_rows}.")
        arguments.out.mkdir(parents=True, exist_ok=True)
        # The last special piece is [MASK]; what follows are unused pieces, characters and words.
        ordinary = (pieces.index("[MASK]") + 1, len(pieces))
        start, end = pieces.index("[CLS]"), pieces.index("[SEP]")
        write_model(weights, np.arange(len(pieces)), ordinary, start, end, arguments.out / "model.onnx")
        (arguments.out / "vocab.txt").write_text("".join(f"{piece}\n" for piece in pieces), encoding="utf-8", newline="\n")
    except (Failure, OSError) as failure:
        sys.exit(f"build_english.py: {failure}")
    for name in ("model.onnx", "vocab.txt"):
        content = (arguments.out / name).read_bytes()
        print(f"{hashlib.sha256(content).hexdigest()}  {name}  {len(content)} bytes")


if __name__ == "__main__":
    main()
